import { describe, expect, it } from '@jest/globals';
import type { LogicalOperationId } from '@retrace/contracts';
import * as fc from 'fast-check';
import { History } from './history.js';
import { absent, file, HistoryBuilder, textOf } from './testing/history-builder.js';
import { ModelTree } from './testing/model-tree.js';
import { byLop, bySession, planFor, requestFor } from './testing/planning.js';

const LINES = 24;
const start = file(Array.from({ length: LINES }, (_, line) => `${line}\n`).join(''));

type Command =
  | { readonly kind: 'edit'; readonly line: number }
  /** Undoes, or redoes, the nth newest logical operation. */
  | { readonly kind: 'take_back'; readonly nth: number };

const edits = fc.record({ kind: fc.constant('edit' as const), line: fc.nat(LINES / 4 - 1).map((line) => line * 4) });
const takeBacks = fc.record({ kind: fc.constant('take_back' as const), nth: fc.nat(7) });
const scripts = fc.array<Command>(fc.oneof(edits, takeBacks), { maxLength: 20 });

/** One file of many lines, which one agent changes; its steps are taken back and redone around each other. */
class Workshop {
  readonly tree = new ModelTree([['a', start]]);
  readonly past = new HistoryBuilder();

  constructor(script: readonly Command[], created: boolean) {
    if (created) this.past.applied('ann', { path: 'a', before: absent, after: start });
    for (const command of script) this.do(command);
  }

  takeBack(selection: Parameters<typeof requestFor>[1], merge: boolean) {
    const { operations } = this.past;
    const result = planFor(operations, this.tree.entries, requestFor(operations, selection, { options: { merge } }));
    if (result.status !== 'planned' || result.plan.steps.length === 0) return undefined;
    this.tree.run(result.plan.steps);
    this.past.rolledBack('ann', result.plan);
    return result.plan;
  }

  private do(command: Command): void {
    if (command.kind === 'edit') return this.edit(command.line);
    const lops = new Set(this.past.operations.map(({ logical_operation_id }) => logical_operation_id));
    const lop: LogicalOperationId | undefined = [...lops].at(-1 - command.nth);
    if (lop) this.takeBack(byLop(lop), true);
  }

  private edit(line: number): void {
    const before = this.tree.state('a');
    if (before.kind !== 'file') return;
    const lines = textOf(before).split('\n');
    lines[line] += `.${this.past.operations.length}`;
    const after = file(lines.join('\n'));
    this.tree.change('a', after);
    this.past.applied('ann', { path: 'a', before, after });
  }
}

const lopOf = ({ logical_operation_id }: { readonly logical_operation_id: LogicalOperationId }) => logical_operation_id;

describe('steps that were undone and redone around each other', () => {
  it('all go when the session is undone, whatever they were merged with', () =>
    fc.assert(
      fc.property(scripts, fc.boolean(), (script, created) => {
        const workshop = new Workshop(script, created);
        const before = new History(workshop.past.operations);
        const stood = new Set(before.operations.filter((each) => before.isLive(each)).map(lopOf));
        const plan = workshop.takeBack(bySession('ann'), false);
        expect(plan?.left_out.filter((each) => each.why !== 'undone' || stood.has(lopOf(each))) ?? []).toEqual([]);
        const untouched = created ? [] : [['a', start]];
        const worked = workshop.past.operations.length > 0;
        expect([...workshop.tree.entries]).toEqual(worked ? untouched : [['a', start]]);
      }),
      { numRuns: 500 },
    ));
});
