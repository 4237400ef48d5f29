import { octalMode } from '../globals.js';
import { applyAndPrint } from './change.js';
import { type CommandFactory, describeCommand } from './command.js';

export const mkdirCommand: CommandFactory = (runner) =>
  describeCommand('mkdir', 'make a folder', ['retrace mkdir docs/drafts'])
    .argument('<path>', 'from the root of the workspace')
    .option('--mode <bits>', 'permission bits in octal', octalMode)
    .action(
      runner.action<{ mode?: number }, [string]>((invocation, { mode }, path) =>
        applyAndPrint(invocation, [{ mkdir: path, mode }]),
      ),
    );
