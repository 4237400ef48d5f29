import { linkDestination, type PathState, type WorkspacePath } from '@retrace/contracts';
import { guard } from '@retrace/policy-engine';
import { Refused, refusal } from './refusal.js';

/**
 * Throws {@link Refused} where a link, moved or copied, would lead from its new place out of the workspace or into the
 * control folder. Policy looks at it where it knows the target; here the object itself is known.
 */
export function requireLeadsInside(path: WorkspacePath, to: WorkspacePath, state: PathState): void {
  if (state.kind !== 'link') return;
  const why = problemOf(to, state.target);
  if (why === undefined) return;
  const message = `is a link to ${JSON.stringify(state.target)}, which at ${to} ${why}; make a new link there instead, or leave this one where it is`;
  throw new Refused(refusal('link_refused', message, { path, found: state }));
}

function problemOf(link: WorkspacePath, target: string): string | undefined {
  const leads = linkDestination(link, target);
  switch (leads.kind) {
    case 'root':
      return undefined;
    case 'refused':
      return leads.message;
    case 'path': {
      const closed = guard('read', leads.path);
      return closed && `leads to ${leads.path}, which nothing may open (${closed.message})`;
    }
  }
}
