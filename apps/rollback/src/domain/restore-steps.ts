import { ABSENT, type PathState, type RestoreStep, type WorkspacePath } from '@retrace/contracts';
import type { IndexedOperation } from './operation-index.js';

/**
 * One step per path, from what stands there to what stood before the oldest operation taken back. A path that ends as it
 * is stays in, so that the log shows what was taken back.
 *
 * Between two valid trees, this order never passes through an invalid one: removals deepest first, then what is replaced
 * where it stands, then creations with folders before what lies in them.
 */
export function restoreSteps(
  chains: ReadonlyMap<string, readonly IndexedOperation[]>,
  present: (path: string) => PathState,
): RestoreStep[] {
  const steps = [...chains.values()].flatMap((chain) => stepsOf(chain, present(chain[0]!.path)));
  return steps.toSorted((a, b) => phase(a) - phase(b) || inPhase(a, b));
}

const REMOVE = 0;
const REPLACE = 1;
const CREATE = 2;

function phase({ expect, restore }: RestoreStep): number {
  if (expect.kind === 'absent') return restore.kind === 'absent' ? REPLACE : CREATE;
  return restore.kind === 'absent' ? REMOVE : REPLACE;
}

const depth = (path: string): number => path.split('/').length;

function inPhase(a: RestoreStep, b: RestoreStep): number {
  const deeperFirst = depth(b.path) - depth(a.path);
  const byPath = a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
  return (phase(a) === REMOVE ? deeperFirst : -deeperFirst) || byPath;
}

/** `chain`: what is taken back at one path, newest first. */
function stepsOf(chain: readonly IndexedOperation[], expect: PathState): RestoreStep[] {
  const { path } = chain[0]!;
  const restore = chain.at(-1)!.before;
  if (!changesBetweenFileAndFolder(expect, restore)) return [step(path, chain, expect, restore)];
  const [newer, older] = splitWhereAbsent(chain);
  return [step(path, newer, expect, ABSENT), step(path, older, ABSENT, restore)];
}

const step = (
  path: WorkspacePath,
  chain: readonly IndexedOperation[],
  expect: PathState,
  restore: PathState,
): RestoreStep => ({ compensates: chain.map(({ operation_id }) => operation_id), path, expect, restore, how: 'restore', keeps: [] });

const changesBetweenFileAndFolder = (a: PathState, b: PathState): boolean =>
  a.kind !== 'absent' && b.kind !== 'absent' && (a.kind === 'directory') !== (b.kind === 'directory');

/** A folder takes a file's place only after nothing stood there. Were that missing, both steps would name all. */
function splitWhereAbsent(
  chain: readonly IndexedOperation[],
): [readonly IndexedOperation[], readonly IndexedOperation[]] {
  const at = chain.findIndex(({ before }) => before.kind === 'absent') + 1;
  return at === 0 || at === chain.length ? [chain, chain] : [chain.slice(0, at), chain.slice(at)];
}
