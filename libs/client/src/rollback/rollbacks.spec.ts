import { type CallDefinition, PlanDiff, PlanGet, PlanMake, PlanSteps, type RollbackPlan } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { UndoReport } from '../intents/settled.js';
import { rollbackData } from '../testing/outcome-data.js';
import { Rollbacks } from './rollbacks.js';

const HASH = 'a'.repeat(64);
const STEPS = 2_500;
const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, nth) => ({ path: `f${from + nth}` }));

describe('Rollbacks', () => {
  let asked: { call: CallDefinition; request: Record<string, unknown> }[];
  let submitted: Record<string, unknown>[];
  let ends: string[];
  let rollbacks: Rollbacks;

  beforeEach(() => {
    asked = [];
    submitted = [];
    ends = [];
    const plan = { plan_hash: HASH, steps: numbers(0, 1_000), step_count: STEPS };
    const call = async (definition: CallDefinition, request: Record<string, unknown>) => {
      asked.push({ call: definition, request });
      const from = request['from'] as number;
      return definition === PlanSteps ? { steps: numbers(from, Math.min(from + 1_000, STEPS)) } : plan;
    };
    const submit = async (intent: Record<string, unknown>) => {
      submitted.push(intent);
      const report = rollbackData();
      const { intent_id: intentId, logical_operation_id: logicalOperationId, outcome } = report;
      return { kind: 'undo', intentId, logicalOperationId, outcome, report, sequence: 1 } satisfies UndoReport;
    };
    const change = { expected: [], ended: () => void ends.push('ended'), notSent: () => void ends.push('not sent') };
    type Parts = ConstructorParameters<typeof Rollbacks>;
    const sender = { submit, whenEnded: () => undefined };
    rollbacks = new Rollbacks({ call } as unknown as Parts[0], sender as unknown as Parts[1], () => change);
  });

  it('asks for a plan in the words of the contract, and says nothing that was not asked', async () => {
    const selection = { by: 'session' as const, session_id: newId('ses') };
    await rollbacks.plan(selection, {});
    await rollbacks.plan(selection, { except: [selection], merge: true, allOrNone: true });
    expect(asked).toEqual([
      { call: PlanMake, request: { selection } },
      { call: PlanMake, request: { selection, except: [selection], options: { merge: true, all_or_none: true } } },
    ]);
  });

  it.each([
    ['a plan', [], { plan_hash: HASH, steps: numbers(0, 1_000), step_count: STEPS } as unknown as RollbackPlan],
    ['a hash', [PlanGet], HASH],
  ])('reads every step on, given %s', async (_, first, plan) => {
    const paths: string[] = [];
    for await (const { path } of rollbacks.steps(plan)) paths.push(path);
    expect(paths).toEqual(numbers(0, STEPS).map(({ path }) => path));
    expect(asked.map(({ call }) => call)).toEqual([...first, PlanSteps, PlanSteps]);
  });

  it('shows one path of a plan', async () => {
    await rollbacks.diff(HASH, 'a.md');
    expect(asked).toEqual([{ call: PlanDiff, request: { plan_hash: HASH, path: 'a.md' } }]);
  });

  it('runs the plan by its hash, and tells the sessions when it has ended', async () => {
    const intentId = newId('int');
    await rollbacks.run(HASH, { reason: 'why', intentId });
    expect(submitted).toEqual([{ type: 'rollback', intent_id: intentId, plan_hash: HASH, reason: 'why' }]);
    expect(ends).toEqual(['ended']);
  });

  it("redoes by planning for the rollback's logical operation", async () => {
    const report = await rollbacks.run(HASH, {});
    await rollbacks.redo(report, { force: true });
    const selection = { by: 'logical_operation', logical_operation_id: report.logicalOperationId };
    expect(asked).toEqual([{ call: PlanMake, request: { selection, options: { force: true } } }]);
    expect(submitted).toHaveLength(2);
  });
});
