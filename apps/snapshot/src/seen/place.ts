import type { WorkspaceName, WorkspacePath } from '@retrace/contracts';

/**
 * The paths that a content came by to where it stood, in the same workspace; none where it stood there in its own right.
 * `null`: they are more than are kept, so nobody can say.
 */
export type Sources = readonly WorkspacePath[] | null;

/** Where a content stood before or after an operation. */
export interface Place {
  readonly workspace: WorkspaceName;
  readonly path: WorkspacePath;
  readonly sources: Sources;
}

/** Of one content and principal: an empty file stands at thousands of paths. */
export const MOST_PLACES = 16;
export const MOST_SOURCES = 16;

type Spot = Pick<Place, 'workspace' | 'path'>;

/**
 * Adds a place; what is known of a place already stands. Where there are too many, the oldest that nothing came to by a
 * move or copy goes. The others stay: without them what was moved would seem to have stood there in its own right.
 */
export function withPlace(places: readonly Place[], place: Place): readonly Place[] {
  if (placeAt(places, place)) return places;
  if (places.length < MOST_PLACES) return [...places, place];
  const dropped = places.findIndex(isItsOwn);
  return dropped === -1 ? places : [...places.toSpliced(dropped, 1), place];
}

/** What is known of how a content came to where it stands. */
export function sourcesAt(places: readonly Place[], spot: Spot): Sources {
  const known = placeAt(places, spot);
  if (known) return known.sources;
  return places.length >= MOST_PLACES && !places.some(isItsOwn) ? null : [];
}

/** The sources of what was brought on from `path`, where it had sources already. */
export function extended(sources: Sources, path: WorkspacePath): Sources {
  if (sources === null) return null;
  const all = [...new Set([...sources, path])];
  return all.length > MOST_SOURCES ? null : all;
}

const placeAt = (places: readonly Place[], { workspace, path }: Spot): Place | undefined =>
  places.find((place) => place.workspace === workspace && place.path === path);

const isItsOwn = ({ sources }: Place): boolean => sources !== null && sources.length === 0;
