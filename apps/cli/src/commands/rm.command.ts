import { applyAndPrint } from './change.js';
import { type CommandFactory, describeCommand } from './command.js';

export const rmCommand: CommandFactory = (runner) =>
  describeCommand('rm', 'delete a file, a link or an empty folder', [
    'retrace rm docs/old.md --reason "moved to the wiki"',
  ])
    .argument('<path>', 'from the root of the workspace')
    .action(
      runner.action<object, [string]>((invocation, _options, path) => applyAndPrint(invocation, [{ delete: path }])),
    );
