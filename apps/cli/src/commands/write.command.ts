import { octalMode } from '../globals.js';
import { applyAndPrint } from './change.js';
import { type CommandFactory, describeCommand } from './command.js';
import { type ContentOptions, readContent } from './content-source.js';

interface WriteFlags extends ContentOptions {
  readonly create?: boolean;
  readonly mode?: number;
  readonly inPlace?: boolean;
}

const EXAMPLES = [
  `retrace write docs/a.md --content 'hello'`,
  'retrace write docs/a.md --file draft.md --reason "first draft"',
  'date | retrace write docs/now.txt --as writer',
];

export const writeCommand: CommandFactory = (runner) =>
  describeCommand('write', 'write the whole content of a file, new or not', EXAMPLES)
    .argument('<path>', 'from the root of the workspace')
    .option('--content <text>', 'the content')
    .option('--file <file>', 'a local file that holds the content (-: stdin)')
    .option('--create', 'refuse where anything stands')
    .option('--mode <bits>', 'permission bits in octal', octalMode)
    .option('--in-place', 'keep the inode instead of putting a new file in its place')
    .action(
      runner.action<WriteFlags, [string]>(async (invocation, { create, mode, inPlace, ...source }, path) => {
        const content = await readContent(invocation.io, source);
        const writeMode = inPlace ? ('in_place' as const) : undefined;
        const operation = create ? { create: path, content, mode } : { write: path, content, mode, writeMode };
        await applyAndPrint(invocation, [operation]);
      }),
    );
