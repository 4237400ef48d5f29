import { type ExpectFlags, withExpect } from './change-options.js';
import { changeAndPrint } from './change.js';
import { withoutLastSlash } from './folder-path.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

interface RmFlags extends ExpectFlags {
  readonly recursive?: boolean;
}

const EXAMPLES = [
  'retrace rm docs/old.md --reason "moved to the wiki"',
  'retrace rm -r drafts',
  'retrace rm notes.txt --expect present',
];

export const rmCommand: CommandFactory = (runner) =>
  withExpect(
    describeCommand('rm', EXAMPLES)
      .argument('<path>', PATH_HELP)
      .option('-r, --recursive', 'a folder and all that is in it, as one'),
  ).action(
    runner.action<RmFlags, [string]>((invocation, flags, typed) => {
      const path = withoutLastSlash(typed);
      return changeAndPrint(invocation, flags, { path, follow: false }, (expected) => ({
        delete: path,
        recursive: flags.recursive,
        expected,
      }));
    }),
  );
