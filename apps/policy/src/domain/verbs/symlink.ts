import { canonicalPath, parentPath } from '@retrace/contracts';
import type { PlacedOperation } from '../place-operations.js';
import { Refused, type Scope } from './scope.js';

/** Refuses a target that leads out of the workspace or into the control folder. It is read from the link's folder, by text. */
export function refuseTarget(placed: PlacedOperation, target: string, { policy }: Scope): void {
  const { canonical, request } = placed;
  const refuse = (why: string): never => {
    const message = `${canonical}: its target ${JSON.stringify(target)} ${why}; give a path inside the workspace, relative to the link's folder`;
    throw new Refused({ code: 'link_refused', message, path: canonical, action: request.action });
  };
  if (target.startsWith('/')) refuse('is absolute');
  const names = parentPath(canonical)?.split('/') ?? [];
  for (const name of target.split('/')) {
    if (name === '' || name === '.') continue;
    if (name !== '..') names.push(name);
    else if (names.pop() === undefined) refuse('leads out of the workspace');
  }
  // The root itself.
  if (names.length === 0) return;
  const parsed = canonicalPath(names.join('/'));
  if (!parsed.ok) return refuse(`leads to no path of the workspace (${parsed.message})`);
  const { allowed, rule } = policy.judge('read', parsed.path);
  if (!allowed && rule.startsWith('guard:')) refuse(`leads to ${parsed.path}, which nothing may open (${rule})`);
}
