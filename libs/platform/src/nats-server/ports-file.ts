import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';

const SUFFIX = '.ports';

/** Makes the folder and clears what a killed server left: pids come round again, and an old file would pass for ours. */
export const prepareFolderForPortsFile = async (folder: string): Promise<void> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stale = (await readdir(folder)).filter((name) => name.endsWith(SUFFIX));
  await Promise.all(stale.map((name) => rm(join(folder, name), { force: true })));
};

/** The server does not write the file in one step: half a file is not there yet. */
const parsePort = (text: string): number | null => {
  try {
    const { nats } = JSON.parse(text) as { nats?: string[] };
    return nats?.[0] ? Number(new URL(nats[0]).port) : null;
  } catch {
    return null;
  }
};

/** The port that server `pid` listens on; null as long as it is not ready. Its file is `<program>_<pid>.ports`. */
export const readPortsFile = async (folder: string, pid: number): Promise<number | null> => {
  const name = (await readdir(folder)).find((entry) => entry.endsWith(`_${pid}${SUFFIX}`));
  if (!name) return null;
  return parsePort(await readFile(join(folder, name), 'utf8').catch(() => ''));
};
