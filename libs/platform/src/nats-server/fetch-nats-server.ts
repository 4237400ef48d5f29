import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const PACKAGE = 'nats-server';
const BINARY_IN_PACKAGE = 'usr/sbin/nats-server';
const SCRIPT = join('tools', 'fetch-deb.sh');

export type FetchResult = { readonly path: string } | { readonly failure: string };

/** Our folder below `$XDG_CACHE_HOME` (the specification says to ignore a relative one) or `~/.cache`. */
export const retraceCacheFolder = (env: NodeJS.ProcessEnv): string => {
  const base = env.XDG_CACHE_HOME;
  return join(base && isAbsolute(base) ? base : join(env.HOME ?? homedir(), '.cache'), 'retrace');
};

/** Where `tools/fetch-deb.sh` leaves the server; it may not be there yet. */
export const cachedNatsServerPath = (env: NodeJS.ProcessEnv): string =>
  join(retraceCacheFolder(env), PACKAGE, 'root', BINARY_IN_PACKAGE);

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** Walks up from a file to the folder that holds `tools/fetch-deb.sh`: the same one from `src` and from `dist`. */
export const findFetchScript = async (from: string = fileURLToPath(import.meta.url)): Promise<string | null> => {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const script = join(folder, SCRIPT);
    if (await exists(script)) return script;
    if (dirname(folder) === folder) return null;
  }
};

const reasonOf = (error: unknown): string => {
  const { stderr, message } = error as Error & { stderr?: string };
  return stderr?.trim() || message;
};

/** Unpacks Debian's nats-server into the cache: no root, nothing on the system changes. Seconds the first time. */
export const fetchNatsServer = async (env: NodeJS.ProcessEnv): Promise<FetchResult> => {
  const script = await findFetchScript();
  if (!script) return { failure: `${SCRIPT} is not part of this installation` };
  try {
    const { stdout } = await run('bash', [script, PACKAGE, BINARY_IN_PACKAGE, retraceCacheFolder(env)], { env });
    return { path: stdout.trim() };
  } catch (error) {
    return { failure: reasonOf(error) };
  }
};
