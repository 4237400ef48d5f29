import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, type RetraceSystem } from '@retrace/testing';

const LONGEST_MS = 90_000;
const QUIET_MS = 2_000;

/** Resolves when nothing more comes into the log and nothing lies in staging. What stays open for longer, the checker tells. */
export async function atRest(system: RetraceSystem, workspace: string): Promise<void> {
  const operator = await eventually(() => system.connect('_op-local', workspace), LONGEST_MS);
  const look = async (): Promise<string> => {
    const { last_sequence } = await operator.status();
    const staged = readdirSync(join(system.folder, workspace, '.retrace', 'staging'));
    return `${last_sequence} ${staged.length}`;
  };
  try {
    const deadline = performance.now() + LONGEST_MS;
    for (let before = ''; performance.now() < deadline;) {
      const now = await look().catch(() => '');
      if (now !== '' && now === before && now.endsWith(' 0')) return;
      before = now;
      await sleep(QUIET_MS);
    }
  } finally {
    await operator.close();
  }
}
