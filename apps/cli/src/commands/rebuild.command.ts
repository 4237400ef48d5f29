import { setTimeout as sleep } from 'node:timers/promises';
import type { RetraceSystem } from '@retrace/client';
import { QueryRebuild, type QueryStatus } from '@retrace/contracts';
import type { z } from 'zod';
import type { Invocation } from '../invocation.js';
import { CommandFailed } from '../usage-error.js';
import { type CommandFactory, describeCommand } from './command.js';

type Rebuild = NonNullable<z.infer<(typeof QueryStatus)['reply']>['rebuild']>;

const POLL_MS = 250;
/** A service that replays a long log may miss a question; one that misses this many in a row is not there. */
const MOST_UNANSWERED = 20;

const NOTE = `
What was recorded is not touched: the log is read once more from its beginning. Queries are answered meanwhile; a
rebuild that runs already is waited for. Ctrl-C ends the waiting, not the rebuild: retrace status says how far it is.`;

export const rebuildCommand: CommandFactory = (runner) =>
  describeCommand('rebuild', ['retrace rebuild', 'retrace rebuild --no-wait'], NOTE)
    .option('--no-wait', 'do not wait for its end')
    .action(
      runner.action<{ wait: boolean }>(async (invocation, { wait }) => {
        const system = await invocation.system();
        const { started } = await system.call(QueryRebuild, {});
        const rebuild = wait ? await untilDone(invocation, system) : null;
        const what = rebuild
          ? `rebuilt from ${rebuild.sequence} events`
          : 'rebuilding: retrace status says how far it is';
        invocation.print(() => what, { started, rebuild });
      }),
    );

async function untilDone({ progress }: Invocation, system: RetraceSystem): Promise<Rebuild> {
  for (let unanswered = 0; ;) {
    const status = await system.status().catch((error: unknown) => {
      if ((unanswered += 1) > MOST_UNANSWERED) throw error;
      return undefined;
    });
    if (status === undefined) {
      await sleep(POLL_MS);
      continue;
    }
    unanswered = 0;
    const { rebuild } = status;
    // One that nobody knows of any more ended with the service that made it.
    if (rebuild === null)
      throw new CommandFailed('rebuild_lost', 'the service started anew meanwhile', 'retrace rebuild');
    if (rebuild.status === 'failed')
      throw new CommandFailed('rebuild_failed', rebuild.message ?? 'it does not say why', 'retrace doctor');
    if (rebuild.status === 'done') return rebuild;
    progress.update(`rebuilding: ${rebuild.sequence} of ${rebuild.last_sequence} events`);
    await sleep(POLL_MS);
  }
}
