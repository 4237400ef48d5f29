import { MAX_STEPS_PER_REQUEST, type RestoreStep } from '@retrace/contracts';

/** Cuts steps into parts that are each applied whole or not at all; both ends of a move are in one, as far as they fit. */
export function partsOf(steps: readonly RestoreStep[], most = MAX_STEPS_PER_REQUEST): RestoreStep[][] {
  const { open } = spans(steps);
  const parts: RestoreStep[][] = [];
  for (let start = 0; start < steps.length;) {
    const end = Math.min(start + most, steps.length);
    let cut = end;
    while (cut > start && open[cut] !== 0) cut--;
    if (cut === start) cut = end;
    parts.push(steps.slice(start, cut));
    start = cut;
  }
  return parts;
}

/**
 * Moves whose ends do not fit one part, as more objects than a part holds change places in a circle, become a removal and
 * a new object. That needs its content in the blob store, which a move alone does not bring there.
 */
export function keepPairsTogether(steps: readonly RestoreStep[], most = MAX_STEPS_PER_REQUEST): RestoreStep[] {
  const partOf = partsOf(steps, most).flatMap((part, index) => part.map(() => index));
  const apart = new Set(
    spans(steps)
      .pairs.filter(([taking, placing]) => partOf[taking] !== partOf[placing])
      .flat(),
  );
  if (apart.size === 0) return [...steps];
  return keepPairsTogether(
    steps.map((step, number) => (apart.has(number) ? withoutMove(step) : step)),
    most,
  );
}

const withoutMove = ({ moves_from: _from, moves_to: _to, ...step }: RestoreStep): RestoreStep => step;

/** The pairs by number, and how many of them are open before each step. */
function spans(steps: readonly RestoreStep[]): { pairs: [number, number][]; open: number[] } {
  const taking = new Map<string, number>();
  for (const [number, { path, moves_to }] of steps.entries()) if (moves_to !== undefined) taking.set(path, number);
  const pairs = [...steps.entries()].flatMap(([number, { moves_from }]): [number, number][] => {
    const taken = moves_from === undefined ? undefined : taking.get(moves_from);
    return taken === undefined ? [] : [[taken, number]];
  });
  const change = Array.from({ length: steps.length + 2 }, () => 0);
  for (const [first, last] of pairs) {
    change[first + 1]!++;
    change[last + 1]!--;
  }
  let count = 0;
  return { pairs, open: change.map((by) => (count += by)) };
}
