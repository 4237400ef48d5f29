import { ABSENT, type PathState, type RollbackOptions, type RollbackPlan } from '@retrace/contracts';
import * as fc from 'fast-check';
import type { IndexedOperation } from '../operation-index.js';
import type { Resolved } from '../selecting.js';
import { foldersToEmpty, follow, type Reach, reachOf } from '../surroundings.js';
import type { Listings } from '../unrecorded-entries.js';
import { type Change, context, directory, file, HistoryBuilder, textOf } from './history-builder.js';
import { ModelTree } from './model-tree.js';
import { bySession, planFor, requestFor } from './planning.js';

export const PATHS = ['a', 'b', 'd', 'd/x', 'd/y', 'd/e', 'd/e/z', 'f', 'f/x', 'f/e', 'f/e/z'] as const;
/** Paths that no agent ever touches: nobody looks at them, they show in listings alone. */
export const UNRECORDED = ['d/h', 'd/p', 'd/p/q', 'd/e/h'] as const;
export const AGENTS = ['ann', 'bob', 'cid'] as const;

export interface Act {
  readonly action: 'create' | 'write' | 'edit' | 'delete' | 'mkdir' | 'move';
  readonly path: string;
  /** Of a move. */
  readonly to: string;
  /** Where an edit changes the text. */
  readonly line: number;
}
export type Command =
  | { readonly kind: 'apply'; readonly agent: string; readonly acts: readonly Act[] }
  | { readonly kind: 'outside'; readonly act: Act }
  | { readonly kind: 'roll_back'; readonly agent: string; readonly merge: boolean }
  /** Takes back the nth newest logical operation, rollbacks included. */
  | { readonly kind: 'take_back'; readonly nth: number; readonly merge: boolean };

const ACTIONS = ['create', 'write', 'edit', 'edit', 'delete', 'delete', 'mkdir', 'move', 'move', 'move'] as const;
const acts: fc.Arbitrary<Act> = fc.record({
  action: fc.constantFrom(...ACTIONS),
  path: fc.constantFrom(...PATHS),
  to: fc.constantFrom(...PATHS),
  line: fc.nat(5),
});
export const applies = (agents: readonly string[]): fc.Arbitrary<Command> =>
  fc.record({
    kind: fc.constant('apply' as const),
    agent: fc.constantFrom(...agents),
    acts: fc.array(acts, { minLength: 1, maxLength: 4 }),
  });
export const strangers: fc.Arbitrary<Act> = fc.record({
  action: fc.constantFrom<Act['action'][]>('create', 'mkdir', 'delete'),
  path: fc.constantFrom(...UNRECORDED),
  to: fc.constant('a'),
  line: fc.constant(0),
});
const outsides: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant('outside' as const),
  act: fc.oneof(acts, strangers, strangers),
});
const rollBacks: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant('roll_back' as const),
  agent: fc.constantFrom(...AGENTS),
  merge: fc.boolean(),
});
export const takeBacks: fc.Arbitrary<Command> = fc.record({
  kind: fc.constant('take_back' as const),
  nth: fc.nat(5),
  merge: fc.boolean(),
});
export const commands = (...kinds: readonly fc.Arbitrary<Command>[]) => fc.array(fc.oneof(...kinds), { maxLength: 24 });
const applied = [applies(AGENTS), applies(AGENTS), applies(AGENTS)];
export const recorded = commands(...applied, rollBacks, takeBacks);
export const everything = commands(...applied, rollBacks, takeBacks, outsides);

export const starts = fc.constantFrom<[string, PathState][]>(
  [],
  [['a', file('a1\na2\na3\na4\n')]],
  [
    ['d', directory],
    ['d/x', file('x1\nx2\nx3\n')],
    ['d/e', directory],
    ['d/e/z', file('z1\nz2\n')],
  ],
);

type Options = Partial<RollbackOptions>;

/** A workspace that remembers what was recorded, and not what was done outside. */
export class World {
  readonly tree: ModelTree;
  readonly past = new HistoryBuilder();
  private texts = 0;

  constructor(start: [string, PathState][], script: readonly Command[]) {
    this.tree = new ModelTree(start);
    for (const command of script) this.do(command);
  }

  plan(selection: Resolved, options: Options = {}, operations = this.past.operations) {
    const request = requestFor(operations, selection, { options });
    const selected = operations.filter(({ operation_id }) => request.selected.has(operation_id));
    const listings = this.listings(selected, operations);
    return planFor(operations, this.present(PATHS), request, { ...context, listings });
  }

  listings(selected: readonly IndexedOperation[], operations: readonly IndexedOperation[]): Listings {
    return this.tree.listings(foldersToEmpty(selected, operations));
  }

  present(paths: readonly string[]): Map<string, PathState> {
    return new Map(paths.map((path) => [path, this.tree.state(path)]));
  }

  /** Every line of every file. */
  lines(): string[] {
    return [...this.tree.entries.values()].flatMap((state) =>
      state.kind === 'file' ? textOf(state).split('\n').filter(Boolean) : [],
    );
  }

  /** Plans, runs and records; answers the rollback's logical operation, or `undefined` where there is nothing to do. */
  rollBack(selection: Resolved, options: Options = {}) {
    const result = this.plan(selection, options);
    if (result.status !== 'planned' || result.plan.steps.length === 0) return undefined;
    this.run(result.plan);
    return { plan: result.plan, id: this.past.rolledBack('_op-me', result.plan) };
  }

  run({ steps }: Pick<RollbackPlan, 'steps'>): void {
    this.tree.run(steps);
  }

  private do(command: Command): void {
    switch (command.kind) {
      case 'apply': {
        const changes = command.acts.flatMap((act) => this.make(act, command.agent));
        if (changes.length > 0) this.past.applied(command.agent, ...changes);
        return;
      }
      case 'outside':
        this.make(command.act, 'human');
        return;
      case 'roll_back':
        this.rollBack(bySession(command.agent), { merge: command.merge });
        return;
      case 'take_back': {
        const lops = [...new Set(this.past.operations.map(({ logical_operation_id }) => logical_operation_id))];
        const logical_operation_id = lops.at(-1 - command.nth);
        if (logical_operation_id)
          this.rollBack({ by: 'logical_operation', logical_operation_id }, { merge: command.merge });
        return;
      }
    }
  }

  /** Does what the file system allows; else nothing. */
  private make(act: Act, who: string): Change[] {
    if (act.action === 'move') return this.move(act.path, act.to);
    const before = this.tree.state(act.path);
    const after = this.outcome(act, before, who);
    return after ? [this.change({ path: act.path, before, after })] : [];
  }

  private change(change: Change): Change {
    this.tree.change(change.path, change.after);
    return change;
  }

  private move(from: string, to: string): Change[] {
    const object = this.tree.state(from);
    const over = this.tree.state(to);
    if (object.kind === 'absent' || from === to || !this.tree.hasFolder(to)) return [];
    if (object.kind === 'directory')
      return over.kind === 'absent' && !to.startsWith(`${from}/`) ? this.moveFolder(from, to) : [];
    return over.kind === 'directory' ? [] : this.moveObject(from, to);
  }

  private moveObject(from: string, to: string): Change[] {
    const object = this.tree.state(from);
    return [
      this.change({ path: to, before: this.tree.state(to), after: object, moved_from: from }),
      this.change({ path: from, before: object, after: ABSENT, moved_to: to }),
    ];
  }

  /** As policy expands it. */
  private moveFolder(from: string, to: string): Change[] {
    const below = [...this.tree.entries.keys()]
      .filter((path) => path === from || path.startsWith(`${from}/`))
      .toSorted();
    const folders = below.filter((path) => this.tree.state(path).kind === 'directory');
    const files = below.filter((path) => !folders.includes(path));
    const renamed = (path: string): string => `${to}${path.slice(from.length)}`;
    const names = [...PATHS, ...UNRECORDED] as readonly string[];
    if (!below.every((path) => names.includes(renamed(path)))) return [];
    return [
      ...folders.map((path) =>
        this.change({ path: renamed(path), before: ABSENT, after: directory, moved_from: path }),
      ),
      ...files.flatMap((path) => this.moveObject(path, renamed(path))),
      ...folders
        .toReversed()
        .map((path) => this.change({ path, before: directory, after: ABSENT, moved_to: renamed(path) })),
    ];
  }

  private outcome({ action, path, line }: Act, before: PathState, who: string): PathState | undefined {
    const free = before.kind === 'absent' && this.tree.hasFolder(path);
    switch (action) {
      case 'create':
        return free ? this.fresh(who) : undefined;
      case 'write':
        return free || before.kind === 'file' ? this.fresh(who) : undefined;
      case 'edit':
        return before.kind === 'file' ? this.edited(textOf(before), line, who) : undefined;
      case 'mkdir':
        return free ? directory : undefined;
      case 'delete':
        return before.kind === 'absent' || this.tree.hasChildren(path) ? undefined : ABSENT;
      case 'move':
        return undefined;
    }
  }

  private fresh(who: string): PathState {
    return file([1, 2, 3, 4].map(() => `${this.line(who)}\n`).join(''));
  }

  /** A line more, or another one. */
  private edited(text: string, at: number, who: string): PathState {
    const lines = text.split('\n').slice(0, -1);
    lines.splice(at % (lines.length + 1), at % 2, this.line(who));
    return file(lines.map((line) => `${line}\n`).join(''));
  }

  /** Different from all others, and with a name on it. */
  private line(who: string): string {
    return `${who}:${++this.texts}`;
  }
}

/** All names that what is selected may have by now. */
export function wholeReach(selected: readonly IndexedOperation[], history: readonly IndexedOperation[]): Reach {
  let reach = reachOf(selected);
  for (let more = follow(reach, history); more !== reach; more = follow(reach, history)) reach = more;
  return reach;
}
