import type { LogicalOperationId, PathState } from '@retrace/contracts';
import { holdsUnrecorded, type Obstacle } from './obstacle.js';
import { type IndexedOperation, makesFolder } from './operation-index.js';

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

/**
 * The logical operations that made folders which a walk would remove although something unrecorded lies in them. That
 * shows at the end of a walk alone: a folder that is removed and made again on the way back stays where it is.
 */
export function makersOfFoldersInUse(
  chains: ReadonlyMap<string, readonly IndexedOperation[]>,
  present: (path: string) => PathState,
  listings: Listings,
): [LogicalOperationId, Obstacle][] {
  return [...chains].flatMap(([path, chain]): [LogicalOperationId, Obstacle][] => {
    const listing = listings.get(path);
    // The oldest one: what came after it can be taken back, the folder stands before and after that.
    const maker = chain.findLast(makesFolder);
    if (!listing || !maker || !goes(chain, present(path))) return [];
    const names = unrecordedIn(path, listing, present);
    return names.length === 0 ? [] : [[maker.logical_operation_id, holdsUnrecorded(maker, names, listing.more)]];
  });
}

const goes = (chain: readonly IndexedOperation[], now: PathState): boolean =>
  now.kind === 'directory' && chain.at(-1)!.before.kind !== 'directory';
