import 'reflect-metadata';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { PlanDiff, PlanMake, PlanSteps, type RollbackPlan, type Selection } from '@retrace/contracts';
import { authorization } from './domain/testing/rollback-plans.js';
import {
  absent,
  context,
  file,
  HistoryBuilder,
  lopId,
  pathOf,
  sessionOf,
  stepOf,
} from './domain/testing/history-builder.js';
import { RollbackBed } from './testing/rollback-bed.js';
import { abortedEvent, appliedEvent, authorizedEvent, partApplied } from './testing/stored-events.js';

const { agent } = authorization;
const { workspace } = context;
const selection: Selection = { by: 'session', session_id: sessionOf(agent) };

describe('rollback on a real bus', () => {
  let bed: RollbackBed;
  let past: HistoryBuilder;
  beforeEach(async () => {
    bed = await RollbackBed.open(agent);
    past = new HistoryBuilder();
    past.applied(agent, { path: 'a', before: absent, after: file('A') });
    bed.disk.set('a', file('A'));
  }, 120_000);
  afterEach(() => bed.close(), 60_000);

  const planned = async (): Promise<RollbackPlan> => (await bed.calls(agent)).call(PlanMake, workspace, { selection });
  const restored = ({ steps }: RollbackPlan) => {
    past.rolledBack(agent, { steps });
    return partApplied(authorization, 1, past.operations.slice(1), 1000);
  };

  it('plans what an agent has just written, runs it once authorized, and reports', async () => {
    await bed.start();
    await bed.write('execution', appliedEvent(past.operations));
    const plan = await planned();
    expect(plan).toMatchObject({ undoes: [past.operations[0]!.logical_operation_id], left_out: [] });
    const { plan_hash } = plan;
    await bed.write('policy', authorizedEvent({ ...authorization, plan_hash }, 500));
    const [step] = await bed.published(1);
    expect(step).toMatchObject({ type: 'retrace.rollback.step_requested.v1', data: { steps: [{ path: 'a' }] } });
    await bed.write('execution', restored(plan));
    const [, report] = await bed.published(2);
    expect(report).toMatchObject({
      type: 'retrace.rollback.completed.v1',
      agent,
      correlationid: authorization.intent_id,
      data: { outcome: 'undone', undone: plan.undoes, restored: ['a'], plan_hash },
    });
    bed.disk.set('a', absent);
    await expect(planned()).rejects.toMatchObject({ code: 'nothing_to_undo' });
  });

  it('goes on after a restart with what was authorized and what was restored meanwhile', async () => {
    await bed.start();
    await bed.write('execution', appliedEvent(past.operations));
    const plan = await planned();
    await bed.stop();
    const { plan_hash } = plan;
    await bed.write('policy', authorizedEvent({ ...authorization, plan_hash }, 500));
    await bed.start();
    await bed.published(1);
    await bed.stop();
    await bed.write('execution', restored(plan));
    await bed.start();
    expect((await bed.published(2)).map(({ type }) => type)).toEqual([
      'retrace.rollback.step_requested.v1',
      'retrace.rollback.completed.v1',
    ]);
  });

  it('takes an aborted logical operation back, and goes on with that after a restart', async () => {
    await bed.start();
    const { logical_operation_id } = past.operations[0]!;
    await bed.write('execution', appliedEvent(past.operations));
    await bed.write('policy', abortedEvent(authorization, logical_operation_id, 500));
    const [step] = await bed.published(1);
    expect(step).toMatchObject({
      type: 'retrace.rollback.step_requested.v1',
      agent,
      data: { rollback_id: authorization.rollback_id, steps: [{ path: 'a', restore: absent }] },
    });
    await bed.stop();
    past.rolledBack(agent, { steps: [stepOf('a', file('A'), absent, past.operations[0]!.operation_id)] });
    await bed.write('execution', partApplied(authorization, 1, past.operations.slice(1), 1000));
    await bed.start();
    const [, report] = await bed.published(2);
    expect(report).toMatchObject({
      type: 'retrace.rollback.completed.v1',
      correlationid: authorization.intent_id,
      data: { outcome: 'undone', undone: [logical_operation_id], restored: ['a'] },
    });
  });

  it('reports nothing for an aborted logical operation of which nothing was applied', async () => {
    await bed.start();
    await bed.write('policy', abortedEvent(authorization, lopId(77), 500));
    const [report] = await bed.published(1);
    expect(report).toMatchObject({ type: 'retrace.rollback.completed.v1', data: { outcome: 'nothing', restored: [] } });
  });

  it('answers the steps of a plan, and what one of them changes', async () => {
    await bed.start();
    await bed.write('execution', appliedEvent(past.operations));
    const { plan_hash, steps } = await planned();
    const calls = await bed.calls(agent);
    expect(await calls.call(PlanSteps, workspace, { plan_hash, from: 0 })).toEqual({ steps });
    const wrong = calls.call(PlanDiff, workspace, { plan_hash, path: pathOf('b') });
    await expect(wrong).rejects.toMatchObject({ code: 'not_found' });
  });
});
