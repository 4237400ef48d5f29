import { type LogicalOperationId, LogicalOperationIdSchema, type SessionId } from '@retrace/contracts';
import { EXIT } from '../exit-code.js';
import { by, wholeNumber } from '../globals.js';
import type { Invocation } from '../invocation.js';
import { renderUndoReport } from '../render/undo-report.render.js';
import { UsageError } from '../usage-error.js';
import { type CommandFactory, describeCommand } from './command.js';
import { EXIT_OF } from './run-plan.js';

const SECOND_MS = 1000;

const BEGIN_EXAMPLES = [
  'export RETRACE_SESSION=$(retrace session open "rename the option" --as writer)',
  'LOP=$(retrace begin --as writer)',
  'retrace edit src/app.ts --old verbose --new loud --lop $LOP --as writer',
  'retrace commit $LOP --as writer',
];

const BEGIN_NOTE = `
Each change is made when it is asked for; commit makes them one whole. abort, or no end within the time, takes all of
them back. Of a part that was denied or failed, abort is all that is left.`;

export const beginCommand: CommandFactory = (runner) =>
  describeCommand('begin', BEGIN_EXAMPLES, BEGIN_NOTE)
    .option('--timeout <seconds>', 'aborted by itself after so long (900)', wholeNumber(1, 24 * 3600))
    .action(
      runner.action<{ timeout?: number }>(async (invocation, { timeout }) => {
        const session_id = sessionOf(invocation);
        const retrace = await invocation.retrace();
        const timeoutMs = timeout === undefined ? undefined : timeout * SECOND_MS;
        const begun = await retrace.session(session_id).begin({ reason: invocation.globals.reason, timeoutMs });
        const { id } = begun;
        invocation.print(() => id, { logical_operation_id: id, session_id, sequence: retrace.lastSequence });
      }),
    );

export const commitCommand: CommandFactory = (runner) =>
  describeCommand('commit', ['retrace commit $LOP'])
    .argument('<lop>', 'the logical operation that retrace begin printed', by(LogicalOperationIdSchema))
    .action(
      runner.action<object, [LogicalOperationId]>(async (invocation, _options, id) => {
        const session_id = sessionOf(invocation);
        const retrace = await invocation.retrace();
        const { sequence } = await retrace.session(session_id).operation(id).commit();
        invocation.print(() => `committed ${id}`, { logical_operation_id: id, session_id, sequence });
      }),
    );

export const abortCommand: CommandFactory = (runner) =>
  describeCommand('abort', ['retrace abort $LOP --reason "the tests fail"'])
    .argument('<lop>', 'the logical operation that retrace begin printed', by(LogicalOperationIdSchema))
    .action(
      runner.action<object, [LogicalOperationId]>(async (invocation, _options, id) => {
        const retrace = await invocation.retrace();
        const operation = retrace.session(sessionOf(invocation)).operation(id);
        const done = await operation.abort({ reason: invocation.globals.reason });
        const { report, sequence, intentId: intent_id, outcome } = done;
        invocation.print((screen) => renderUndoReport(done, screen), { report: { ...report, sequence, intent_id } });
        // Nothing was done under it: then there was nothing to take back, which is what was asked for.
        return outcome === 'nothing' ? EXIT.done : EXIT_OF[outcome];
      }),
    );

function sessionOf({ sessionId }: Invocation): SessionId {
  if (sessionId !== undefined) return sessionId;
  throw new UsageError('a logical operation belongs to a session: give --session ID, or set RETRACE_SESSION');
}
