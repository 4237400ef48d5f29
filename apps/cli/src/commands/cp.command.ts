import { type ExpectFlags, withExpect } from './change-options.js';
import { changeAndPrint } from './change.js';
import { withoutLastSlash } from './folder-path.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

interface CpFlags extends ExpectFlags {
  readonly recursive?: boolean;
  readonly overwrite?: boolean;
}

const EXAMPLES = [
  'retrace cp docs/a.md docs/b.md',
  'retrace cp -r templates/service services/billing',
  'retrace cp settings.example.json settings.json --overwrite',
];

export const cpCommand: CommandFactory = (runner) =>
  withExpect(
    describeCommand('cp', EXAMPLES)
      .argument('<path>', PATH_HELP)
      .argument('<new-path>', 'the new path itself, not a folder to put it into')
      .option('-r, --recursive', 'a folder and all that is in it')
      .option('--overwrite', 'a file or link that stands at the new path is replaced'),
  ).action(
    runner.action<CpFlags, [string, string]>((invocation, flags, ...typed) => {
      const [path, to] = typed.map(withoutLastSlash) as [string, string];
      return changeAndPrint(invocation, flags, { path, follow: false }, (expected) => ({
        copy: path,
        to,
        recursive: flags.recursive,
        overwrite: flags.overwrite,
        expected,
      }));
    }),
  );
