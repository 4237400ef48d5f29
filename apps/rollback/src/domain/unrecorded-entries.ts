import type { OperationId, PathState } from '@retrace/contracts';
import type { Chain } from './chains.js';
import { holdsUnrecorded, type Obstacle } from './obstacle.js';
import { makesFolder } from './operation-index.js';

/** What a listing of a folder showed. */
export interface FolderEntries {
  readonly names: readonly string[];
  /** Not all of them are named; what nobody recorded is named first. */
  readonly more: boolean;
}

/** Folders that a plan may remove, with what lies in them. One that is missing was not looked into. */
export type Listings = ReadonlyMap<string, FolderEntries>;

/** The names in a folder that stand for nothing known: whatever is recorded as standing was looked at. */
export const unrecordedIn = (
  folder: string,
  { names }: FolderEntries,
  present: (path: string) => PathState | undefined,
): string[] => names.filter((name) => (present(`${folder}/${name}`)?.kind ?? 'absent') === 'absent');

/** The workspace before and after a walk. */
export interface Ends {
  readonly present: (path: string) => PathState;
  readonly final: (path: string) => PathState;
}

/**
 * The operations that made folders which a walk would remove although something unrecorded lies in them. That shows at
 * the end of a walk alone: a folder that is removed and made again on the way back stays where it is.
 */
export function makersOfFoldersInUse(
  chains: readonly Chain[],
  { present, final }: Ends,
  listings: Listings,
): [OperationId, Obstacle][] {
  return chains.flatMap(({ path, operations }): [OperationId, Obstacle][] => {
    const listing = listings.get(path);
    // The oldest one: what came after it can be taken back, the folder stands before and after that.
    const maker = operations.findLast(makesFolder);
    const goes = present(path).kind === 'directory' && final(path).kind !== 'directory';
    if (!listing || !maker || !goes) return [];
    const names = unrecordedIn(path, listing, present);
    return names.length === 0 ? [] : [[maker.operation_id, holdsUnrecorded(path, maker.after, names, listing.more)]];
  });
}
