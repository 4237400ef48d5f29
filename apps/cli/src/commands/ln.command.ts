import { type ExpectFlags, withExpect } from './change-options.js';
import { changeAndPrint } from './change.js';
import { UsageError } from '../usage-error.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

const EXAMPLES = ['retrace ln guide.md docs/latest.md', 'retrace ln ../shared/logo.svg site/logo.svg'];

export const lnCommand: CommandFactory = (runner) =>
  withExpect(
    describeCommand('ln', EXAMPLES)
      .argument('<target>', 'what the link names: from the folder of the link, inside the workspace')
      .argument('<path>', `where the link is to stand, ${PATH_HELP}`),
  ).action(
    runner.action<ExpectFlags, [string, string]>((invocation, flags, target, path) => {
      if (target === '') throw new UsageError('the target is empty: name what the link is to point to');
      return changeAndPrint(invocation, flags, { path, follow: false }, (expected) => ({
        symlink: path,
        target,
        expected,
      }));
    }),
  );
