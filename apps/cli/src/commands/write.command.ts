import { octalMode } from '../globals.js';
import { type ExpectFlags, withExpect } from './change-options.js';
import { changeAndPrint } from './change.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';
import { type ContentOptions, readContent } from './content-source.js';

interface WriteFlags extends ContentOptions, ExpectFlags {
  readonly create?: boolean;
  readonly mode?: number;
  readonly inPlace?: boolean;
}

const EXAMPLES = [
  `retrace write docs/a.md --content 'hello'`,
  'retrace write docs/a.md --file draft.md --reason "first draft"',
  'date | retrace write docs/now.txt --as writer',
  `retrace write docs/a.md --content 'again' --expect present`,
];

export const writeCommand: CommandFactory = (runner) =>
  withExpect(
    describeCommand('write', EXAMPLES)
      .argument('<path>', PATH_HELP)
      .option('--content <text>', 'the content')
      .option('--file <file>', 'a local file that holds the content (-: stdin)')
      .option('--create', 'refuse where anything stands')
      .option('--mode <bits>', 'permission bits in octal', octalMode)
      .option('--in-place', 'keep the inode instead of putting a new file in its place'),
  ).action(
    runner.action<WriteFlags, [string]>(async (invocation, flags, path) => {
      const { create, mode, inPlace } = flags;
      const content = await readContent(invocation.io, flags);
      const writeMode = inPlace ? ('in_place' as const) : undefined;
      await changeAndPrint(invocation, flags, { path, follow: true }, (expected) =>
        create ? { create: path, content, mode, expected } : { write: path, content, mode, writeMode, expected },
      );
    }),
  );
