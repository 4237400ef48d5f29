import { EXIT, type ExitCode } from '../exit-code.js';
import { wholeNumber } from '../globals.js';
import { runsHere, runtimeOf } from '../home/runtime-file.js';
import { findStandalone } from '../home/standalone-entry.js';
import type { Invocation } from '../invocation.js';
import { runAttached, startDetached, type StartOptions } from '../system/start-system.js';
import { CommandFailed } from '../usage-error.js';
import { type CommandFactory, describeCommand } from './command.js';

interface UpFlags {
  readonly foreground?: boolean;
  readonly port?: number;
}

export const upCommand: CommandFactory = (runner) =>
  describeCommand('up', ['retrace up', 'retrace up --foreground --port 4222'])
    .option('--foreground', 'stay attached; Ctrl-C stops it')
    .option('--port <number>', 'of the bus (default: a free one)', wholeNumber(1, 65_535))
    .action(
      runner.action<UpFlags>(async (invocation, { foreground, port }) => {
        const { home, io } = invocation;
        const runtime = await runtimeOf(home);
        if (runtime && (await runsHere(runtime))) return alreadyUp(invocation, runtime.url, foreground);
        const options: StartOptions = { home, entry: findStandalone(), env: io.env, port };
        if (foreground)
          return (await runAttached(options, (text) => invocation.tell(text.trimEnd()))) === 0
            ? EXIT.done
            : EXIT.refused;
        const started = await startDetached(options);
        invocation.print(() => `up at ${started.url} (process ${started.pid})\nhome: ${home.folder}`, {
          home: home.folder,
          already: false,
          ...started,
        });
        return EXIT.done;
      }),
    );

function alreadyUp(invocation: Invocation, url: string, foreground: boolean | undefined): ExitCode {
  const { home } = invocation;
  if (foreground) throw new CommandFailed('already_up', `the system on ${home.folder} is up at ${url}`, 'retrace down');
  invocation.print(() => `up already at ${url}\nhome: ${home.folder}`, { home: home.folder, already: true, url });
  return EXIT.done;
}
