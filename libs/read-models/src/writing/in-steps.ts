import { setImmediate as breathe } from 'node:timers/promises';

/**
 * Rows per statement. Few sizes, so that few statements are compiled; 64 rows of the widest table are below what SQLite
 * (32,766) and PostgreSQL (65,535) bind.
 */
const SIZES = [64, 8, 1];

/** SQLite answers at once: without a break a large fold would hold up everything else in the thread. */
export async function inSteps<T>(all: readonly T[], step: (some: readonly T[]) => Promise<void>): Promise<void> {
  for (let at = 0; at < all.length;) {
    const size = SIZES.find((rows) => rows <= all.length - at)!;
    await step(all.slice(at, at + size));
    at += size;
    if (size === SIZES[0]) await breathe();
  }
}
