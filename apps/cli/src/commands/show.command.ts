import { RetraceError } from '@retrace/contracts';
import { renderOperation } from '../render/operation.render.js';
import { UsageError } from '../usage-error.js';
import { type CommandFactory, describeCommand } from './command.js';
import { logicalOperationAt, parseReference } from './references.js';

export const showCommand: CommandFactory = (runner) =>
  describeCommand('show', 'everything recorded of an operation, or of all of a logical operation', [
    'retrace show 1042',
    'retrace show lop_0197e1f0-3c5a-7b1e-9d2f-2f0a4c6b8d10 --json',
  ])
    .argument('<id>', 'op_…, lop_…, or the number of a line of the log')
    .action(
      runner.action<object, [string]>(async (invocation, _options, text) => {
        const reference = parseReference(text);
        if (reference.by === 'session') throw new UsageError('a session has a log: retrace log --session ID');
        const retrace = await invocation.upToDate();
        const id = reference.by === 'sequence' ? await logicalOperationAt(retrace, reference.sequence) : reference.id;
        const { operations } = await retrace.operation(id);
        if (operations.length === 0)
          throw new RetraceError(
            'not_found',
            `${id} is in no log of ${retrace.workspace} that ${retrace.principal} may see`,
          );
        invocation.print((screen) => operations.map((one) => renderOperation(one, screen)).join('\n\n'), {
          operations,
        });
      }),
    );
