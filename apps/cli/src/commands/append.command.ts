import { octalMode } from '../globals.js';
import { type ExpectFlags, withExpect } from './change-options.js';
import { changeAndPrint } from './change.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';
import { type ContentOptions, readContent } from './content-source.js';

interface AppendFlags extends ContentOptions, ExpectFlags {
  readonly mode?: number;
}

const EXAMPLES = [
  "retrace append docs/journal.md --content $'one more line\\n'",
  'retrace append docs/journal.md --file entry.md',
  'date | retrace append docs/journal.md --as writer',
];

export const appendCommand: CommandFactory = (runner) =>
  withExpect(
    describeCommand('append', EXAMPLES)
      .argument('<path>', PATH_HELP)
      .option('--content <text>', 'what is added, as it is: no line end is added to it')
      .option('--file <file>', 'a local file that holds it (-: stdin)')
      .option('--mode <bits>', 'permission bits in octal of a file that begins with it', octalMode),
  ).action(
    runner.action<AppendFlags, [string]>(async (invocation, flags, path) => {
      const content = await readContent(invocation.io, flags);
      await changeAndPrint(invocation, flags, { path, follow: true }, (expected) => ({
        append: path,
        content,
        mode: flags.mode,
        expected,
      }));
    }),
  );
