import { type AuthorizedOperation, foldersAbove, type WorkspacePath } from '@retrace/contracts';
import type { PlacedOperation } from '../place-operations.js';
import { type Judging, Refused, refuseOdd, type Scope } from './scope.js';

/** The missing folders above, as parts; the asked one last. */
export function* makeParents(placed: PlacedOperation, scope: Scope): Judging {
  const { canonical, request } = placed;
  // From the root down.
  const above = [...foldersAbove(canonical)].toReversed() as WorkspacePath[];
  const asked = scope.one(placed, 'create', canonical);
  const unknown = above.filter((path) => scope.tree.at(path) === undefined);
  if (unknown.length > 0) return { kind: 'trees', reaches: unknown.map((path) => ({ path, deep: false })) };
  const operations: AuthorizedOperation[] = [];
  for (const path of above) {
    yield;
    const standing = scope.tree.at(path)!;
    refuseOdd(placed, path, standing);
    if (standing.kind === 'leaf') throw new Refused(notAFolder(placed, path));
    if (standing.kind === 'directory') continue;
    const operation_id = scope.partId(request.operation_id, path);
    const part = { pin: standing.pin, part_of: request.operation_id } as const;
    operations.push(scope.one(placed, 'create', path, { request: { action: 'mkdir', operation_id, path }, ...part }));
  }
  scope.reach(placed, operations.length);
  return [...operations, asked];
}

const notAFolder = ({ request }: PlacedOperation, path: string) => ({
  code: 'not_a_folder' as const,
  message: `${path}: is no folder, so ${request.path} cannot be made in it; choose another path, or remove it first`,
  path,
  action: request.action,
});
