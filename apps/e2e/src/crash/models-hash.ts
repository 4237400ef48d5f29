import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { RetraceSystem } from '@retrace/testing';

const run = promisify(execFile);
const REPLAY = fileURLToPath(new URL('../../../../tools/replay.mjs', import.meta.url));

/** The hash of what the log of a running system is folded into when it is folded anew. */
export async function hashOfLog(system: RetraceSystem): Promise<string> {
  const said = await replay(system, join(system.folder, 'replayed.sqlite'));
  return said.split('\n')[1]!;
}

/** The hash of what the services of a system that has stopped left in their own file. */
export function hashOfModels(system: RetraceSystem): Promise<string> {
  const folder = join(system.home.data, 'projection');
  const pointer = join(folder, 'read-models.current');
  const number = existsSync(pointer) ? readFileSync(pointer, 'utf8') : '1';
  const name = number === '1' ? 'read-models.sqlite' : `read-models-${number}.sqlite`;
  return replay(system, '--hash', join(folder, name));
}

async function replay(system: RetraceSystem, ...args: string[]): Promise<string> {
  const env = { ...process.env, NODE_OPTIONS: '', RETRACE_HOME: system.home.folder };
  return (await run(process.execPath, [REPLAY, ...args], { env })).stdout.trim();
}
