import { EXIT } from '../exit-code.js';
import { stopSystem } from '../system/stop-system.js';
import { type CommandFactory, describeCommand } from './command.js';

export const downCommand: CommandFactory = (runner) =>
  describeCommand('down', ['retrace down']).action(
    runner.action(async (invocation) => {
      const stopped = await stopSystem(invocation.home);
      const home = invocation.home.folder;
      invocation.print(() => (stopped ? `down (process ${stopped.pid} is gone)` : `nothing runs on ${home}`), {
        home,
        stopped: stopped !== undefined,
      });
      return stopped ? EXIT.done : EXIT.nothing;
    }),
  );
