import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import { promisify } from 'node:util';
import { type NatsVersion, parseNatsVersion } from './nats-version.js';

const run = promisify(execFile);
const VERSION_TIMEOUT_MS = 10_000;

export type NatsBinary = { readonly path: string; readonly version: NatsVersion };

/** Starts `path --version`; null when it is not there, does not start, or is something else. */
export const inspectNatsBinary = async (path: string): Promise<NatsBinary | null> => {
  try {
    const { stdout } = await run(path, ['--version'], { timeout: VERSION_TIMEOUT_MS });
    const version = parseNatsVersion(stdout);
    return version && { path, version };
  } catch {
    return null;
  }
};

const isExecutable = (path: string): Promise<boolean> =>
  access(path, constants.X_OK).then(
    () => true,
    () => false,
  );

/** Every executable of that name on a PATH, in its order. Relative entries are skipped: they would run whatever lies in the current folder. */
export const findOnPath = async (name: string, path: string | undefined): Promise<string[]> => {
  const candidates = (path ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, name));
  const executable = await Promise.all(candidates.map(isExecutable));
  return candidates.filter((_, index) => executable[index]);
};
