import { ABSENT, type PathState, type RestoreStep, samePathState, type WorkspacePath } from '@retrace/contracts';
import type { Chain } from './chains.js';
import type { IndexedOperation } from './operation-index.js';
import { inRunningOrder } from './step-order.js';
import { keepPairsTogether } from './step-parts.js';

/** The workspace before and after a walk. */
export interface Ends {
  readonly present: (path: string) => PathState;
  readonly final: (path: string) => PathState;
  /** Where what is to stand at a path stands now. */
  readonly origin: (path: string) => string | undefined;
}

/**
 * One step per path, from what stands there to what the walk left. A path that ends as it is stays in, so that the log
 * shows what was taken back. Where an object goes back to an earlier name, one step takes it and another one places it;
 * a path that is left and filled has a step for each.
 */
export function restoreSteps(chains: readonly Chain[], ends: Ends): RestoreStep[] {
  const from = new Map<string, WorkspacePath>();
  const to = new Map<string, WorkspacePath>();
  for (const { path } of chains) {
    const origin = movedFrom(path, ends);
    if (origin === undefined) continue;
    from.set(path, origin);
    to.set(origin, path);
  }
  const steps = chains.flatMap((chain) => stepsOf(chain, ends, { from: from.get(chain.path), to: to.get(chain.path) }));
  return keepPairsTogether(inRunningOrder(steps));
}

/** The object itself comes back from there: what stands there now is what is to stand here. */
export function movedFrom(path: WorkspacePath, { present, final, origin }: Ends): WorkspacePath | undefined {
  const source = origin(path);
  if (source === undefined || source === path) return undefined;
  const state = final(path);
  const isObject = state.kind === 'file' || state.kind === 'link';
  return isObject && samePathState(present(source), state) ? (source as WorkspacePath) : undefined;
}

interface Moves {
  readonly from: WorkspacePath | undefined;
  readonly to: WorkspacePath | undefined;
}

function stepsOf(chain: Chain, { present, final }: Ends, { from, to }: Moves): RestoreStep[] {
  const { path, operations } = chain;
  const expect = present(path);
  const restore = final(path);
  const inTwo = from !== undefined || to !== undefined || changesBetweenFileAndFolder(expect, restore);
  if (!inTwo || expect.kind === 'absent' || restore.kind === 'absent')
    return [{ ...step(chain, operations, expect, restore), ...movesOf({ from, to }) }];
  const [newer, older] = splitWhereAbsent(operations);
  return [
    { ...step(chain, newer, expect, ABSENT), ...movesOf({ to, from: undefined }) },
    { ...step(chain, older, ABSENT, restore), ...movesOf({ from, to: undefined }) },
  ];
}

const movesOf = ({ from, to }: Moves): Pick<RestoreStep, 'moves_from' | 'moves_to'> => ({
  ...(from !== undefined && { moves_from: from }),
  ...(to !== undefined && { moves_to: to }),
});

const step = (
  { path, how, keeps }: Chain,
  operations: readonly IndexedOperation[],
  expect: PathState,
  restore: PathState,
): RestoreStep => ({
  compensates: operations.map(({ operation_id }) => operation_id),
  path,
  expect,
  restore,
  how,
  keeps: [...keeps.values()],
});

const changesBetweenFileAndFolder = (a: PathState, b: PathState): boolean =>
  a.kind !== 'absent' && b.kind !== 'absent' && (a.kind === 'directory') !== (b.kind === 'directory');

/** Something else takes a place only after nothing stood there. Were that missing, both steps would name all. */
function splitWhereAbsent(
  chain: readonly IndexedOperation[],
): [readonly IndexedOperation[], readonly IndexedOperation[]] {
  const at = chain.findIndex(({ before }) => before.kind === 'absent') + 1;
  return at === 0 || at === chain.length ? [chain, chain] : [chain.slice(0, at), chain.slice(at)];
}
