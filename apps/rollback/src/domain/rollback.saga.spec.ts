import { describe, expect, it } from '@jest/globals';
import { type LeftOut, MAX_STEPS_PER_REQUEST, type RollbackPlan } from '@retrace/contracts';
import { fold } from '@retrace/event-sourcing';
import { specificationFor } from '@retrace/event-sourcing/testing';
import { type RollbackEvent, type RollbackInput, rollbackSaga, type RollbackState } from './rollback.saga.js';
import { type RollbackWork, workOf } from './rollback-work.js';
import { partsOf } from './step-parts.js';
import { absent, file } from './testing/history-builder.js';
import { authorization, planOfFiles } from './testing/rollback-plans.js';

const PARTS = 3;
const { plan, past } = planOfFiles(MAX_STEPS_PER_REQUEST * (PARTS - 1) + 1);
const owners = new Map(past.operations.map((operation) => [operation.operation_id, operation.logical_operation_id]));
const work = (given: RollbackPlan = plan, before = 0): RollbackWork =>
  workOf(authorization, given, partsOf(given.steps), (id) => owners.get(id), before);

const authorized: RollbackInput = { type: 'authorized', authorization, work: work() };
const applied = (part: number): RollbackInput => ({ type: 'part_applied', part });
const failed = (part: number): RollbackInput => ({ type: 'part_failed', part, code: 'changed_outside', message: 'no' });

const evolve = rollbackSaga.evolve.bind(rollbackSaga);
const refold = (events: readonly RollbackEvent[]): RollbackState => fold(evolve, rollbackSaga.initialState, events);

/** What becomes of a run: messages reach a saga that is folded again from its events before each of them. */
function run(messages: readonly RollbackInput[]): RollbackEvent[] {
  const events: RollbackEvent[] = [];
  for (const message of messages) {
    const stored = JSON.parse(JSON.stringify(events)) as RollbackEvent[];
    events.push(...rollbackSaga.decide(message, refold(stored)));
  }
  return events;
}

/** The same without a restart. */
function runOn(messages: readonly RollbackInput[]): RollbackEvent[] {
  const all: RollbackEvent[] = [];
  let state: RollbackState = rollbackSaga.initialState;
  for (const message of messages) {
    const events = rollbackSaga.decide(message, state);
    state = fold(evolve, state, events);
    all.push(...events);
  }
  return all;
}

const twice = (messages: readonly RollbackInput[]): RollbackInput[] =>
  messages.flatMap((message) => [message, message]);
/** After each message all earlier ones once more: a late leader, a repaired tail. */
const replayed = (messages: readonly RollbackInput[]): RollbackInput[] =>
  messages.flatMap((_, i) => messages.slice(0, i + 1));

const shown = (events: readonly RollbackEvent[]) =>
  events.map((event) =>
    event.type === 'step_requested'
      ? `part ${event.part} of ${event.parts}`
      : event.type === 'completed'
        ? event.report.outcome
        : event.type,
  );

const allApplied = [authorized, applied(1), applied(2), applied(3)];
const table = [
  { name: 'every part is applied', messages: allApplied, outcome: 'undone', applied: 3, asked: 3 },
  ...[1, 2, 3].map((part) => ({
    name: `part ${part} fails`,
    messages: [...allApplied.slice(0, part), failed(part)],
    outcome: part === 1 ? 'failed' : 'partial',
    applied: part - 1,
    asked: part,
  })),
];
const deliveries = [
  { how: 'once', deliver: (messages: readonly RollbackInput[]) => messages },
  { how: 'twice', deliver: twice },
  { how: 'again and again', deliver: replayed },
];

describe.each(table)('a rollback of which $name', ({ messages, outcome, applied: done, asked }) => {
  const requests = Array.from({ length: asked }, (_, i) => `part ${i + 1} of ${PARTS}`);

  it.each(deliveries)('asks part by part and reports, each message coming $how', ({ deliver }) => {
    for (const events of [run(deliver(messages)), runOn(deliver(messages))])
      expect(shown(events)).toEqual(['accepted', ...requests, outcome]);
  });

  it('reports what was restored, what counts as undone and what failed', () => {
    const end = run(messages).at(-1);
    const count = Math.min(plan.undoes.length, done * MAX_STEPS_PER_REQUEST);
    expect(end).toMatchObject({
      type: 'completed',
      report: {
        undone: plan.undoes.slice(0, count),
        failures: done === PARTS ? [] : [{ part: done + 1, code: 'changed_outside', message: 'no' }],
      },
    });
  });

  it('does nothing more after its end', () => {
    const end = [...messages, ...[1, 2, 3].flatMap((part) => [applied(part), failed(part)]), authorized];
    expect(run(end)).toEqual(run(messages));
  });
});

describe('a rollback', () => {
  const { given } = specificationFor(rollbackSaga);
  const left: LeftOut = {
    logical_operation_id: plan.undoes[0]!,
    path: plan.steps[0]!.path,
    why: 'outside',
    only_path: false,
    message: 'changed outside',
    expected: file('F'),
    found: absent,
    later: null,
  };
  const completed = (report: object) => ({ type: 'completed', authorization, report, applied: 0 });
  const nothing = { undone: [], left_out: [], failures: [] };

  it('waits for the part that it asked for, and for no other', () => {
    const asked = run([authorized]);
    given(asked).when(applied(2)).then([]);
    given(asked).when(failed(2)).then([]);
    given([]).when(applied(1)).then([]);
  });

  it('ends at once where the plan has no step', () => {
    const none = work({ ...plan, steps: [], undoes: [], left_out: [left] });
    given([])
      .when({ type: 'authorized', authorization, work: none })
      .then([{ type: 'accepted', work: none }, completed({ ...nothing, outcome: 'nothing', left_out: [left] })]);
  });

  it('is partial where something was left out', () => {
    const some = work({ ...plan, steps: plan.steps.slice(0, 1), undoes: plan.undoes.slice(0, 1), left_out: [left] });
    const events = run([{ type: 'authorized', authorization, work: some }, applied(1)]);
    expect(events.at(-1)).toMatchObject({ report: { outcome: 'partial', left_out: [left] } });
  });

  it('is no less whole for what was undone already', () => {
    const some = work({ ...plan, steps: plan.steps.slice(0, 1), left_out: [{ ...left, why: 'undone' }] });
    const events = run([{ type: 'authorized', authorization, work: some }, applied(1)]);
    expect(events.at(-1)).toMatchObject({ report: { outcome: 'undone' } });
  });

  it('says so where its plan is not kept any more', () =>
    given([])
      .when({ type: 'authorized', authorization, work: undefined })
      .thenMatches([completed({ outcome: 'failed', failures: [{ part: 1, code: 'unknown_plan' }] })]));

  it('says why where it cannot be planned, once', () => {
    const refused = { type: 'not_planned', authorization, code: 'reply_too_large', message: 'too much' } as const;
    const failure = (part: number) => ({ part, code: 'reply_too_large', message: 'too much' });
    const events = run([{ ...refused, applied: 0 }, { ...refused, applied: 0 }, authorized]);
    expect(events).toEqual([completed({ ...nothing, outcome: 'failed', failures: [failure(1)] })]);
    given([])
      .when({ ...refused, applied: 2 })
      .then([completed({ ...nothing, outcome: 'partial', failures: [failure(3)] })]);
    given(run([authorized]))
      .when({ ...refused, applied: 0 })
      .then([]);
  });

  it('goes on after the parts that were applied before its plan was made', () => {
    const some = work({ ...plan, steps: plan.steps.slice(0, 1), undoes: plan.undoes.slice(0, 1) }, 2);
    const events = run([{ type: 'authorized', authorization, work: some }, applied(1), applied(2), applied(3)]);
    expect(events).toMatchObject([
      { type: 'accepted' },
      { type: 'step_requested', part: 3, parts: 3, planPart: 0 },
      { type: 'completed', report: { outcome: 'undone', undone: [plan.undoes[0]] }, applied: 1 },
    ]);
    const none = work({ ...plan, steps: [], undoes: [] }, 2);
    const end = run([{ type: 'authorized', authorization, work: none }]).at(-1);
    expect(end).toMatchObject({ type: 'completed', report: { outcome: 'undone' } });
  });

  it('counts a logical operation as undone only with the last of its paths', () => {
    const one = new Map(past.operations.map(({ operation_id }) => [operation_id, plan.undoes[0]!]));
    const { parts } = workOf(authorization, { ...plan, undoes: [plan.undoes[0]!] }, partsOf(plan.steps), (id) =>
      one.get(id),
    );
    expect(parts.map(({ finishes }) => finishes)).toEqual([[], [], [plan.undoes[0]]]);
  });
});
