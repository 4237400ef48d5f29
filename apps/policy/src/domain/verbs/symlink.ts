import { linkDestination, type WorkspacePath } from '@retrace/contracts';
import type { PlacedOperation } from '../place-operations.js';
import type { Standing } from '../working-tree.js';
import { Refused, type Scope } from './scope.js';

/** Refuses a target that leads out of the workspace or into the control folder. It is read from the link's folder, by text. */
export function refuseTarget(placed: PlacedOperation, target: string, scope: Scope): void {
  const { canonical } = placed;
  const why = problemOfTarget(canonical, target, scope);
  if (why === undefined) return;
  const message = `${canonical}: its target ${JSON.stringify(target)} ${why}; give a path inside the workspace, relative to the link's folder`;
  throw linkRefused(placed, canonical, message);
}

/**
 * Refuses a link that would lead there from its new place, wherever it leads from where it is. What is not known to be a
 * link is refused by execution, which holds the object.
 */
export function refuseCarriedLink(
  placed: PlacedOperation,
  from: WorkspacePath,
  to: WorkspacePath,
  standing: Standing | undefined,
  scope: Scope,
): void {
  if (standing?.target === undefined) return;
  const why = problemOfTarget(to, standing.target, scope);
  if (why === undefined) return;
  const message = `${from}: is a link to ${JSON.stringify(standing.target)}, which at ${to} ${why}; make a new link there instead, or leave this one where it is`;
  throw linkRefused(placed, from, message);
}

function problemOfTarget(link: WorkspacePath, target: string, { policy }: Scope): string | undefined {
  const leads = linkDestination(link, target);
  switch (leads.kind) {
    case 'root':
      return undefined;
    case 'refused':
      return leads.message;
    case 'path': {
      const { allowed, rule } = policy.judge('read', leads.path);
      return !allowed && rule.startsWith('guard:')
        ? `leads to ${leads.path}, which nothing may open (${rule})`
        : undefined;
    }
  }
}

const linkRefused = ({ request: { action } }: PlacedOperation, path: string, message: string): Refused =>
  new Refused({ code: 'link_refused', message, path, action });
