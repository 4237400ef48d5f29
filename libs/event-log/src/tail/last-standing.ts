import { isPlaced, type Placed, type Unplaced } from './remembered-event.js';

export interface Lost {
  /** Behind the last event that stands where it stood; 1 where none does. */
  readonly from: number;
  /** What stands there no more, in the order of the old places. */
  readonly placed: readonly Placed[];
  /** What nobody knows the place of, in the order of publishing. */
  readonly unplaced: readonly Unplaced[];
  /** Something that is remembered stands. */
  readonly reachesBack: boolean;
}

/**
 * Compares what is remembered with the log. A log that lost its end is what it was up to a place, and then differs: so
 * where an event stands, all before it do. `newest`: what is remembered, the newest first.
 */
export async function lastStanding(
  newest: Iterable<Unplaced>,
  stands: (place: Placed) => Promise<boolean>,
): Promise<Lost> {
  const all = [...newest].toReversed();
  const places = all.filter(isPlaced).toSorted((a, b) => a.sequence - b.sequence);
  let low = 0;
  for (let high = places.length; low < high;) {
    const middle = (low + high) >> 1;
    if (await stands(places[middle]!)) low = middle + 1;
    else high = middle;
  }
  return {
    from: (places[low - 1]?.sequence ?? 0) + 1,
    placed: places.slice(low),
    unplaced: all.filter((one) => !isPlaced(one)),
    reachesBack: low > 0 || places.length === 0 || all[0]!.number === 1,
  };
}
