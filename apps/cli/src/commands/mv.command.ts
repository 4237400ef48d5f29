import { type ExpectFlags, withExpect } from './change-options.js';
import { changeAndPrint } from './change.js';
import { withoutLastSlash } from './folder-path.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

interface MvFlags extends ExpectFlags {
  readonly overwrite?: boolean;
}

const EXAMPLES = [
  'retrace mv docs/a.md docs/b.md',
  'retrace mv drafts docs/drafts --reason "ready for review"',
  'retrace mv new.md old.md --overwrite --expect present',
];

export const mvCommand: CommandFactory = (runner) =>
  withExpect(
    describeCommand('mv', EXAMPLES)
      .argument('<path>', PATH_HELP)
      .argument('<new-path>', 'the new path itself, not a folder to put it into')
      .option('--overwrite', 'a file or link that stands at the new path is replaced'),
  ).action(
    runner.action<MvFlags, [string, string]>((invocation, flags, ...typed) => {
      const [path, to] = typed.map(withoutLastSlash) as [string, string];
      return changeAndPrint(invocation, flags, { path, follow: false }, (expected) => ({
        move: path,
        to,
        overwrite: flags.overwrite,
        expected,
      }));
    }),
  );
