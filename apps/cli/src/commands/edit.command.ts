import { UsageError } from '../usage-error.js';
import { applyAndPrint } from './change.js';
import { type CommandFactory, describeCommand } from './command.js';

interface EditFlags {
  readonly old: string;
  readonly new: string;
  readonly all?: boolean;
}

const EXAMPLES = [
  `retrace edit docs/a.md --old 'teh' --new 'the'`,
  `retrace edit src/app.ts --old 'var ' --new 'const ' --all --reason 'no var'`,
];

export const editCommand: CommandFactory = (runner) =>
  describeCommand('edit', 'replace a text in a file; more than one match is refused unless --all', EXAMPLES)
    .argument('<path>', 'from the root of the workspace')
    .requiredOption('--old <text>', 'what stands there, literally')
    .requiredOption('--new <text>', 'what is to stand there')
    .option('--all', 'replace every match')
    .action(
      runner.action<EditFlags, [string]>(async (invocation, { old, new: newText, all }, path) => {
        if (old === '') throw new UsageError('--old is empty: name the text to replace');
        await applyAndPrint(invocation, [{ edit: path, edits: [{ oldText: old, newText, all }] }]);
      }),
    );
