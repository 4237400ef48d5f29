import { octalMode } from '../globals.js';
import { type ExpectFlags, withExpect } from './change-options.js';
import { changeAndPrint } from './change.js';
import { withoutLastSlash } from './folder-path.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

interface MkdirFlags extends ExpectFlags {
  readonly parents?: boolean;
  readonly mode?: number;
}

const EXAMPLES = ['retrace mkdir docs/drafts', 'retrace mkdir -p docs/2025/january', 'retrace mkdir keys --mode 700'];

export const mkdirCommand: CommandFactory = (runner) =>
  withExpect(
    describeCommand('mkdir', EXAMPLES)
      .argument('<path>', PATH_HELP)
      .option('-p, --parents', 'make the folders above it too, where they are missing')
      .option('--mode <bits>', 'permission bits in octal', octalMode),
  ).action(
    runner.action<MkdirFlags, [string]>((invocation, flags, typed) => {
      const path = withoutLastSlash(typed);
      return changeAndPrint(invocation, flags, { path, follow: false }, (expected) => ({
        mkdir: path,
        parents: flags.parents,
        mode: flags.mode,
        expected,
      }));
    }),
  );
