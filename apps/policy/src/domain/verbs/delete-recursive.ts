import type { AuthorizedOperation, OperationRequest, WorkspacePath } from '@retrace/contracts';
import type { PlacedOperation } from '../place-operations.js';
import { type Judging, refuseOdd, type Scope } from './scope.js';

/** What lies below first, deepest first; the folder last, under the asked id. */
export function* deleteRecursive(placed: PlacedOperation, scope: Scope): Judging {
  const { canonical } = placed;
  const root = scope.whole(canonical);
  if (!root) {
    scope.judge(placed, 'delete', canonical);
    return { kind: 'trees', reaches: [{ path: canonical, deep: true }] };
  }
  refuseOdd(placed, canonical, root);
  if (root.kind !== 'directory') return [scope.one(placed, 'delete', canonical)];
  const below = scope.tree.below(canonical);
  scope.reach(placed, below.length);
  const operations: AuthorizedOperation[] = [];
  for (const [path, standing] of below.toReversed()) {
    yield;
    refuseOdd(placed, path, standing);
    const request = partRequest(placed, path, standing.kind === 'directory' ? 'rmdir' : 'delete', scope);
    const part_of = placed.request.operation_id;
    operations.push(scope.one(placed, 'delete', path as WorkspacePath, { request, pin: standing.pin, part_of }));
  }
  return [...operations, scope.one(placed, 'delete', canonical, { pin: root.pin })];
}

const partRequest = (
  { request: { operation_id } }: PlacedOperation,
  path: string,
  action: 'rmdir' | 'delete',
  { partId }: Scope,
): OperationRequest => ({ action, operation_id: partId(operation_id, path), path });
