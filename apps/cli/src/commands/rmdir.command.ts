import { type ExpectFlags, withExpect } from './change-options.js';
import { changeAndPrint } from './change.js';
import { withoutLastSlash } from './folder-path.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

export const rmdirCommand: CommandFactory = (runner) =>
  withExpect(describeCommand('rmdir', ['retrace rmdir docs/drafts']).argument('<path>', PATH_HELP)).action(
    runner.action<ExpectFlags, [string]>((invocation, flags, typed) => {
      const path = withoutLastSlash(typed);
      return changeAndPrint(invocation, flags, { path, follow: false }, (expected) => ({ rmdir: path, expected }));
    }),
  );
