import { describe, expect, it } from '@jest/globals';
import type { RollbackOptions } from '@retrace/contracts';
import * as fc from 'fast-check';
import { History } from './history.js';
import { plan } from './planner.js';
import { selectFrom } from './selecting.js';
import { selectedUnits } from './selected-units.js';
import { pathsToLookAt, surroundingsOf } from './surroundings.js';
import { context } from './testing/history-builder.js';
import { ModelTree } from './testing/model-tree.js';
import { byLop, bySession, planFor, requestFor } from './testing/planning.js';
import { pathGlob } from '@retrace/path-globs';
import {
  AGENTS,
  applies,
  type Command,
  commands,
  everything,
  PATHS,
  recorded,
  starts,
  strangers,
  takeBacks,
  UNRECORDED,
  wholeReach,
  World,
} from './testing/world.js';

const agents = fc.constantFrom(...AGENTS);
const options: fc.Arbitrary<RollbackOptions> = fc.record({
  merge: fc.boolean(),
  force: fc.boolean(),
  skip: fc.boolean(),
  all_or_none: fc.constant(false),
});

describe('a plan over any history', () => {
  it('takes a single agent’s whole history back to the start', () =>
    fc.assert(
      fc.property(starts, commands(applies(['ann'])), (start, script) => {
        const world = new World(start, script);
        const done = world.rollBack(bySession('ann'));
        expect(done?.plan.left_out ?? []).toEqual([]);
        expect(world.tree).toEqual(new ModelTree(start));
      }),
      { numRuns: 300 },
    ));

  it('takes it back as well where single steps of it were undone and redone around later work', () =>
    fc.assert(
      fc.property(starts, commands(applies(['ann']), applies(['ann']), takeBacks), (start, script) => {
        const world = new World(start, script);
        const done = world.rollBack(bySession('ann'));
        expect(done?.plan.left_out.filter(({ why }) => why !== 'undone') ?? []).toEqual([]);
        expect(world.tree).toEqual(new ModelTree(start));
      }),
      { numRuns: 500 },
    ));

  it('is undone by the undo of its rollback', () =>
    fc.assert(
      fc.property(starts, everything, agents, options, (start, script, agent, given) => {
        const world = new World(start, script);
        const present = world.tree.copy();
        const undo = world.rollBack(bySession(agent), given);
        if (!undo) return;
        const redo = world.rollBack(byLop(undo.id));
        expect(redo?.plan.left_out).toEqual([]);
        expect(world.tree).toEqual(present);
        const again = world.rollBack(bySession(agent), given);
        expect(again?.plan.undoes).toEqual(undo.plan.undoes);
      }),
      { numRuns: 500 },
    ));

  it('leads back to the first tree, one logical operation after the other, newest first', () =>
    fc.assert(
      fc.property(starts, recorded, (start, script) => {
        const world = new World(start, script);
        const lops = new Set(world.past.operations.map(({ logical_operation_id }) => logical_operation_id));
        for (const lop of [...lops].toReversed()) {
          const done = world.rollBack(byLop(lop));
          expect(done?.plan.left_out ?? []).toEqual([]);
        }
        expect(world.tree).toEqual(new ModelTree(start));
      }),
      { numRuns: 300 },
    ));

  it('changes no path that the session did not touch, by whatever name', () =>
    fc.assert(
      fc.property(starts, everything, agents, options, (start, script, agent, given) => {
        const world = new World(start, script);
        const present = world.tree.copy();
        const { operations } = world.past;
        const own = operations.filter((operation) => operation.agent === agent);
        const { paths } = wholeReach(own, operations);
        world.rollBack(bySession(agent), given);
        const rest = [...PATHS, ...UNRECORDED].filter((path) => !new Set<string>(paths).has(path));
        expect(world.present(rest)).toEqual(new Map(rest.map((path) => [path, present.state(path)])));
      }),
    ));

  it('never loses a line that somebody else wrote, unless forced', () =>
    fc.assert(
      fc.property(starts, everything, agents, fc.boolean(), (start, script, agent, skip) => {
        const world = new World(start, script);
        const others = world.lines().filter((line) => !line.startsWith(`${agent}:`));
        world.rollBack(bySession(agent), { merge: true, skip });
        const left = world.lines();
        expect(others.filter((line) => !left.includes(line))).toEqual([]);
      }),
      { numRuns: 500 },
    ));

  // The model throws where a step expects something else, or where the tree would not be one any more.
  it('runs step by step over valid trees, and accounts for all that was selected', () =>
    fc.assert(
      fc.property(starts, everything, agents, options, (start, script, agent, given) => {
        const world = new World(start, script);
        const history = new History(world.past.operations);
        const selected = selectedUnits(history, selectFrom(world.past.operations, bySession(agent), pathGlob));
        const result = world.plan(bySession(agent), given);
        if (result.status !== 'planned') return;
        const { steps, undoes, left_out } = result.plan;
        world.run(result.plan);
        expect(steps.every(({ path }) => (PATHS as readonly string[]).includes(path))).toBe(true);
        const whole = left_out.filter(({ only_path }) => !only_path);
        expect([...undoes, ...whole.map(({ logical_operation_id }) => logical_operation_id)].toSorted()).toEqual(
          selected.map(({ logical_operation_id }) => logical_operation_id).toSorted(),
        );
        expect(PATHS.filter((path) => world.tree.state(path).kind !== 'absent' && !world.tree.hasFolder(path))).toEqual(
          [],
        );
      }),
      { numRuns: 500 },
    ));

  it('goes over the work of others only where forced, and names them as owners', () =>
    fc.assert(
      fc.property(starts, recorded, agents, fc.boolean(), (start, script, agent, merge) => {
        const world = new World(start, script);
        const before = world.lines();
        const done = world.rollBack(bySession(agent), { force: true, merge });
        if (!done) return;
        const left = new Set(world.lines());
        const lost = new Set(before.filter((line) => !left.has(line)).map((line) => line.split(':')[0]!));
        const owners = new Set<string>(done.plan.owners);
        expect(AGENTS.filter((other) => lost.has(other) && !owners.has(other))).toEqual([]);
      }),
      { numRuns: 500 },
    ));

  it('leaves out for what nobody recorded only who made the folder in which it lies', () =>
    fc.assert(
      fc.property(starts, commands(applies(['ann'])), fc.array(strangers, { maxLength: 6 }), (start, script, added) => {
        const made = { action: 'mkdir', path: 'd', to: 'a', line: 0 } as const;
        const first: Command = { kind: 'apply', agent: 'ann', acts: [made] };
        const world = new World(start, [first, ...script, ...added.map((act) => ({ kind: 'outside', act }) as const)]);
        const result = world.plan(bySession('ann'));
        if (result.status !== 'planned') return;
        const { left_out } = result.plan;
        const outside = left_out.filter(({ why }) => why === 'outside');
        expect(outside.filter(({ path }) => !world.tree.hasChildren(path))).toEqual([]);
        const someStand = UNRECORDED.some((path) => world.tree.state(path).kind !== 'absent');
        expect(someStand ? [] : left_out).toEqual([]);
        world.run(result.plan);
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
        expect(world.plan(bySession('ann'), {}, shuffled)).toEqual(world.plan(bySession('ann')));
      }),
    ));

  it('needs no more of history and disk than its surroundings, and changes nothing else', () =>
    fc.assert(
      fc.property(starts, recorded, agents, options, (start, script, agent, given) => {
        const world = new World(start, script);
        const { operations } = world.past;
        const request = requestFor(operations, bySession(agent), { options: given });
        const selected = operations.filter(({ operation_id }) => request.selected.has(operation_id));
        const around = surroundingsOf(wholeReach(selected, operations));
        const needed = operations.filter(
          ({ path }) => around.exact.includes(path) || around.folders.some((folder) => path.startsWith(`${folder}/`)),
        );
        const present = world.present(pathsToLookAt(around, needed));
        const known = { ...context, listings: world.listings(selected, needed) };
        const result = planFor(needed, present, request, known);
        expect(result).toEqual(world.plan(bySession(agent), given));
        const steps = result.status === 'planned' ? result.plan.steps : [];
        expect(steps.filter(({ path }) => !present.has(path))).toEqual([]);
      }),
      { numRuns: 300 },
    ));

  it('asks for each merge once', () =>
    fc.assert(
      fc.property(starts, everything, agents, (start, script, agent) => {
        const world = new World(start, script);
        const { operations } = world.past;
        const request = requestFor(operations, bySession(agent), { options: { merge: true } });
        const result = plan(new History(operations), world.present(PATHS), request, context);
        if (result.status !== 'merges_needed') return;
        const outcomes = new Map(result.merges.map(({ key }) => [key, { ok: false, reason: 'no' } as const]));
        const again = plan(new History(operations), world.present(PATHS), request, { ...context, merges: outcomes });
        const asked = again.status === 'merges_needed' ? again.merges : [];
        expect(asked.filter(({ key }) => outcomes.has(key))).toEqual([]);
      }),
    ));
});
