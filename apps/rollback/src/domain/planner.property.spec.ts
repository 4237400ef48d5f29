import { describe, expect, it } from '@jest/globals';
import { type PathState, type Selection } from '@retrace/contracts';
import * as fc from 'fast-check';
import { type IndexedOperation, inOrder } from './operation-index.js';
import { plan } from './planner.js';
import { isSelected, selectedUnits } from './selected-units.js';
import { foldersToEmpty, pathsToLookAt, surroundingsOf } from './surroundings.js';
import { type Change, context, directory, file, HistoryBuilder, sessionOf } from './testing/history-builder.js';
import { ModelTree } from './testing/model-tree.js';
import type { Listings } from './unrecorded-entries.js';

const PATHS = ['a', 'b', 'd', 'd/x', 'd/y', 'd/e', 'd/e/z'] as const;
/** Paths that no agent ever touches: nobody looks at them, they show in listings alone. */
const UNRECORDED = ['d/h', 'd/p', 'd/p/q', 'd/e/h'] as const;
const AGENTS = ['ann', 'bob', 'cid'] as const;

interface Move {
  readonly action: 'create' | 'write' | 'edit' | 'delete' | 'mkdir';
  readonly path: string;
}
type Command =
  | { readonly kind: 'apply'; readonly agent: string; readonly moves: readonly Move[] }
  | { readonly kind: 'outside'; readonly move: Move }
  | { readonly kind: 'roll_back'; readonly agent: string }
  /** Takes back the nth newest logical operation, rollbacks included. */
  | { readonly kind: 'take_back'; readonly nth: number };

const moves = fc.record({
  action: fc.constantFrom<Move['action'][]>('create', 'write', 'write', 'edit', 'delete', 'delete', 'mkdir'),
  path: fc.constantFrom(...PATHS),
});
const applies = (agents: readonly string[]) =>
  fc.record({
    kind: fc.constant('apply' as const),
    agent: fc.constantFrom(...agents),
    moves: fc.array(moves, { minLength: 1, maxLength: 4 }),
  });
const strangers = fc.record({
  action: fc.constantFrom<Move['action'][]>('create', 'mkdir', 'delete'),
  path: fc.constantFrom(...UNRECORDED),
});
const outsides = fc.record({ kind: fc.constant('outside' as const), move: fc.oneof(moves, strangers, strangers) });
const rollBacks = fc.record({ kind: fc.constant('roll_back' as const), agent: fc.constantFrom(...AGENTS) });
const takeBacks = fc.record({ kind: fc.constant('take_back' as const), nth: fc.nat(5) });
const commands = (...kinds: readonly fc.Arbitrary<Command>[]) => fc.array(fc.oneof(...kinds), { maxLength: 24 });
const recorded = commands(applies(AGENTS), applies(AGENTS), applies(AGENTS), rollBacks, takeBacks);
const everything = commands(applies(AGENTS), applies(AGENTS), applies(AGENTS), rollBacks, takeBacks, outsides);

const starts = fc.constantFrom<[string, PathState][]>(
  [],
  [['a', file('a0')]],
  [
    ['d', directory],
    ['d/x', file('x0')],
    ['d/e', directory],
  ],
);

/** A workspace that remembers what was recorded, and not what was done outside. */
class World {
  readonly tree: ModelTree;
  readonly past = new HistoryBuilder();
  private texts = 0;

  constructor(start: [string, PathState][], script: readonly Command[]) {
    this.tree = new ModelTree(start);
    for (const command of script) this.do(command);
  }

  plan(selection: Selection, operations = this.past.operations) {
    const selected = operations.filter((operation) => isSelected(selection, operation));
    return plan(operations, this.present(PATHS), selection, { ...context, listings: this.listings(selected) });
  }

  listings(selected: readonly IndexedOperation[]): Listings {
    return this.tree.listings(foldersToEmpty(selected));
  }

  present(paths: readonly string[]): Map<string, PathState> {
    return new Map(paths.map((path) => [path, this.tree.state(path)]));
  }

  /** Plans, runs and records; answers the rollback's logical operation, or `undefined` where there is nothing to do. */
  rollBack(selection: Selection) {
    const planned = this.plan(selection);
    if (!planned.ok || planned.plan.steps.length === 0) return undefined;
    this.tree.run(planned.plan.steps);
    return { plan: planned.plan, id: this.past.rolledBack('_op-me', planned.plan) };
  }

  private do(command: Command): void {
    switch (command.kind) {
      case 'apply': {
        const changes = command.moves.flatMap((move) => this.make(move));
        if (changes.length > 0) this.past.applied(command.agent, ...changes);
        return;
      }
      case 'outside':
        this.make(command.move);
        return;
      case 'roll_back':
        this.rollBack(bySession(command.agent));
        return;
      case 'take_back': {
        const lops = [...new Set(this.past.operations.map(({ logical_operation_id }) => logical_operation_id))];
        const logical_operation_id = lops.at(-1 - command.nth);
        if (logical_operation_id) this.rollBack({ by: 'logical_operation', logical_operation_id });
        return;
      }
    }
  }

  /** Does what the file system allows; else nothing. */
  private make({ action, path }: Move): Change[] {
    const before = this.tree.state(path);
    const after = this.outcome(action, path, before);
    if (!after) return [];
    this.tree.change(path, after);
    return [{ path, before, after }];
  }

  private outcome(action: Move['action'], path: string, before: PathState): PathState | undefined {
    const free = before.kind === 'absent' && this.tree.hasFolder(path);
    const fresh = () => file(`t${++this.texts}`);
    switch (action) {
      case 'create':
        return free ? fresh() : undefined;
      case 'write':
        return free || before.kind === 'file' ? fresh() : undefined;
      case 'edit':
        return before.kind === 'file' ? fresh() : undefined;
      case 'mkdir':
        return free ? directory : undefined;
      case 'delete':
        return before.kind === 'absent' || this.tree.hasChildren(path) ? undefined : { kind: 'absent' };
    }
  }
}

const bySession = (agent: string): Selection => ({ by: 'session', session_id: sessionOf(agent) });

describe('a plan over any history', () => {
  it('takes a single agent’s whole history back to the start', () =>
    fc.assert(
      fc.property(starts, commands(applies(['ann'])), (start, script) => {
        const world = new World(start, script);
        const done = world.rollBack(bySession('ann'));
        expect(done?.plan.left_out ?? []).toEqual([]);
        expect(world.tree).toEqual(new ModelTree(start));
      }),
    ));

  it('is undone by the undo of its rollback', () =>
    fc.assert(
      fc.property(starts, everything, fc.constantFrom(...AGENTS), (start, script, agent) => {
        const world = new World(start, script);
        const present = world.tree.copy();
        const undo = world.rollBack(bySession(agent));
        if (!undo) return;
        const redo = world.rollBack({ by: 'logical_operation', logical_operation_id: undo.id });
        expect(redo?.plan.left_out).toEqual([]);
        expect(world.tree).toEqual(present);
        const again = world.rollBack(bySession(agent));
        expect(again?.plan.undoes).toEqual(undo.plan.undoes);
      }),
    ));

  it('changes no path that the session did not touch', () =>
    fc.assert(
      fc.property(starts, everything, fc.constantFrom(...AGENTS), (start, script, agent) => {
        const world = new World(start, script);
        const present = world.tree.copy();
        const touched = new Set<string>(
          world.past.operations.filter((operation) => operation.agent === agent).map(({ path }) => path),
        );
        world.rollBack(bySession(agent));
        const rest = [...PATHS, ...UNRECORDED].filter((path) => !touched.has(path));
        expect(world.present(rest)).toEqual(new Map(rest.map((path) => [path, present.state(path)])));
      }),
    ));

  // The model throws where a step expects something else, or where the tree would not be one any more.
  it('runs step by step over valid trees, and accounts for all that was selected', () =>
    fc.assert(
      fc.property(starts, everything, fc.constantFrom(...AGENTS), (start, script, agent) => {
        const world = new World(start, script);
        const selected = selectedUnits(inOrder(world.past.operations), bySession(agent));
        const planned = world.plan(bySession(agent));
        if (!planned.ok) return;
        const { steps, undoes, left_out } = planned.plan;
        world.tree.run(steps);
        const accounted = [...undoes, ...left_out.map(({ logical_operation_id }) => logical_operation_id)];
        expect(accounted.toSorted()).toEqual(
          selected.map(({ logical_operation_id }) => logical_operation_id).toSorted(),
        );
        expect(PATHS.filter((path) => world.tree.state(path).kind !== 'absent' && !world.tree.hasFolder(path))).toEqual(
          [],
        );
      }),
      { numRuns: 500 },
    ));

  it('leaves out for what nobody recorded only who made the folder in which it lies', () =>
    fc.assert(
      fc.property(starts, commands(applies(['ann'])), fc.array(strangers, { maxLength: 6 }), (start, script, added) => {
        const made: Command = { kind: 'apply', agent: 'ann', moves: [{ action: 'mkdir', path: 'd' }] };
        const world = new World(start, [made, ...script, ...added.map((move) => ({ kind: 'outside', move }) as const)]);
        const planned = world.plan(bySession('ann'));
        if (!planned.ok) return;
        const outside = planned.plan.left_out.filter(({ why }) => why === 'outside');
        expect(outside.filter(({ path }) => !UNRECORDED.some((name) => name.startsWith(`${path}/`)))).toEqual([]);
        expect(outside.filter(({ path }) => !world.tree.hasChildren(path))).toEqual([]);
        const someStand = UNRECORDED.some((path) => world.tree.state(path).kind !== 'absent');
        expect(someStand ? [] : planned.plan.left_out).toEqual([]);
        world.tree.run(planned.plan.steps);
      }),
      { numRuns: 500 },
    ));

  it('does not depend on the order in which history was read', () =>
    fc.assert(
      fc.property(starts, everything, fc.infiniteStream(fc.nat()), (start, script, keys) => {
        const world = new World(start, script);
        const shuffled = world.past.operations
          .map((operation) => ({ operation, key: keys.next().value ?? 0 }))
          .toSorted((a, b) => a.key - b.key)
          .map(({ operation }) => operation);
        expect(world.plan(bySession('ann'), shuffled)).toEqual(world.plan(bySession('ann')));
      }),
    ));

  it('needs no more of history and disk than its surroundings', () =>
    fc.assert(
      fc.property(starts, recorded, fc.constantFrom(...AGENTS), (start, script, agent) => {
        const world = new World(start, script);
        const { operations } = world.past;
        const selected = operations.filter(({ session_id }) => session_id === sessionOf(agent));
        const around = surroundingsOf(selected);
        const needed = operations.filter(
          ({ path }) => around.exact.includes(path) || around.folders.some((folder) => path.startsWith(`${folder}/`)),
        );
        const present = world.present(pathsToLookAt(around, needed));
        const known = { ...context, listings: world.listings(selected) };
        expect(plan(needed, present, bySession(agent), known)).toEqual(world.plan(bySession(agent)));
      }),
    ));
});
