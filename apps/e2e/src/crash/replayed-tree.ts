import type { Logged, PlainBus } from './plain-log.js';

type State =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly hash: string; readonly mode: number }
  | { readonly kind: 'directory'; readonly mode: number }
  | { readonly kind: 'link'; readonly target: string };

interface Recorded {
  readonly rollback_instruction: { readonly path: string; readonly expect: State };
}

/** What the log says stands in a workspace: its baseline, and over it every operation that was applied, in order. */
export async function replayedTree(
  log: readonly Logged[],
  workspace: string,
  bus: PlainBus,
): Promise<Record<string, string>> {
  const own = log.filter((event) => event.workspace === workspace);
  const tree = new Map<string, string>();
  const baseline = own.find(({ type }) => type === 'retrace.workspace.baselined.v1');
  if (baseline) for (const { path, state } of await manifest(baseline, bus)) leave(tree, path, state);
  for (const { type, data } of own)
    if (type === 'retrace.operation.applied.v1')
      for (const { rollback_instruction: done } of data['operations'] as Recorded[])
        leave(tree, done.path, done.expect);
  return Object.fromEntries(tree);
}

async function manifest({ data }: Logged, bus: PlainBus): Promise<{ path: string; state: State }[]> {
  const content = await bus.blob(data['manifest_hash'] as string);
  return (JSON.parse(content.toString()) as { entries: { path: string; state: State }[] }).entries;
}

function leave(tree: Map<string, string>, path: string, state: State): void {
  if (state.kind === 'absent') tree.delete(path);
  else tree.set(path, describe(state));
}

/** As `treeOf` says what it finds on the disk. */
function describe(state: Exclude<State, { kind: 'absent' }>): string {
  if (state.kind === 'link') return `link ${state.target}`;
  const mode = state.mode.toString(8);
  return state.kind === 'directory' ? `folder ${mode}` : `file ${mode} ${state.hash}`;
}
