import { EXIT } from '../exit-code.js';
import { runningSystem } from '../home/runtime-file.js';
import { renderStatus } from '../render/status.render.js';
import { systemStatus } from '../system/system-status.js';
import { type CommandFactory, describeCommand } from './command.js';

export const statusCommand: CommandFactory = (runner) =>
  describeCommand('status', ['retrace status']).action(
    runner.action(async (invocation) => {
      const runtime = await runningSystem(invocation.home);
      const status = await systemStatus(invocation.home.folder, runtime, await invocation.system());
      invocation.print((screen) => renderStatus(status, screen), status);
      const well = status.services.every(({ state, problems }) => state === 'ready' && problems.length === 0);
      return well ? EXIT.done : EXIT.unreachable;
    }),
  );
