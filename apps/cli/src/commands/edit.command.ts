import { UsageError } from '../usage-error.js';
import { type ExpectFlags, withExpect } from './change-options.js';
import { changeAndPrint } from './change.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

interface EditFlags extends ExpectFlags {
  readonly old: string;
  readonly new: string;
  readonly all?: boolean;
}

const EXAMPLES = [
  `retrace edit docs/a.md --old 'teh' --new 'the'`,
  `retrace edit src/app.ts --old 'var ' --new 'const ' --all --reason 'no var'`,
];

export const editCommand: CommandFactory = (runner) =>
  withExpect(
    describeCommand('edit', EXAMPLES)
      .argument('<path>', PATH_HELP)
      .requiredOption('--old <text>', 'what stands there, literally')
      .requiredOption('--new <text>', 'what is to stand there')
      .option('--all', 'replace every match'),
  ).action(
    runner.action<EditFlags, [string]>(async (invocation, flags, path) => {
      const { old, new: newText, all } = flags;
      if (old === '') throw new UsageError('--old is empty: name the text to replace');
      await changeAndPrint(invocation, flags, { path, follow: true }, (expected) => ({
        edit: path,
        edits: [{ oldText: old, newText, all }],
        expected,
      }));
    }),
  );
