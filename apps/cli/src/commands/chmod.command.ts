import type { Retrace } from '@retrace/client';
import { RetraceError } from '@retrace/contracts';
import { type ExpectFlags, withExpect } from './change-options.js';
import { changeAndPrint } from './change.js';
import { changedMode, type ModeChange, modeChange } from './chmod-mode.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

const EXAMPLES = ['retrace chmod 644 docs/a.md', 'retrace chmod +x tools/build.sh', 'retrace chmod a-w,go-r keys.txt'];

export const chmodCommand: CommandFactory = (runner) =>
  withExpect(
    describeCommand('chmod', EXAMPLES)
      // Commander would take -x for an option; what is neither a mode nor a path is refused all the same.
      .allowUnknownOption()
      .argument('<mode>', 'octal (644), or what to add and take: +x, -x, a-w, go-rwx (write a-w, not -w)', modeChange)
      .argument('<path>', PATH_HELP),
  ).action(
    runner.action<ExpectFlags, [ModeChange, string]>(async (invocation, flags, change, path) => {
      const before = change.kind === 'bits' ? 0 : await modeOf(await invocation.retrace(), path);
      const mode = changedMode(change, before);
      await changeAndPrint(invocation, flags, { path, follow: true }, (expected) => ({ chmod: path, mode, expected }));
    }),
  );

async function modeOf(retrace: Retrace, path: string): Promise<number> {
  const { canonical, state } = await retrace.stat(path);
  if (state.kind === 'file' || state.kind === 'directory') return state.mode;
  throw new RetraceError('absent', `${canonical}: no file or folder stands there whose mode could be changed`);
}
