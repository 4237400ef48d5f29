/** One of those that are compared. */
export interface Side {
  /** One call; no index comes twice. */
  call(index: number, content: string): Promise<void>;
}

export interface Turns {
  /** Calls of each side that are not counted. */
  readonly warmUp: number;
  readonly calls: number;
  /** Calls of one side before it is another's turn. */
  readonly block: number;
}

/**
 * Milliseconds of every counted call, in the order of the sides. They take turns, so that what else the machine does
 * hits all of them; contents are made while no clock runs.
 */
export async function inTurns(
  sides: readonly Side[],
  { warmUp, calls, block }: Turns,
  content: () => string,
  now: () => number = () => performance.now(),
): Promise<number[][]> {
  const taken = sides.map((): number[] => []);
  for (let from = 0; from < warmUp + calls;) {
    const to = Math.min(from + block, from < warmUp ? warmUp : warmUp + calls);
    for (const [number, side] of sides.entries())
      for (let index = from; index < to; index += 1) {
        const ms = await timed(side, index, content(), now);
        if (index >= warmUp) taken[number]!.push(ms);
      }
    from = to;
  }
  return taken;
}

async function timed(side: Side, index: number, content: string, now: () => number): Promise<number> {
  const began = now();
  await side.call(index, content);
  return now() - began;
}
