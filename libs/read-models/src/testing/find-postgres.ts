import { execFile } from 'node:child_process';
import { access, constants, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

export interface PostgresBinaries {
  /** Holds `initdb` and `postgres`. */
  readonly folder: string;
  /** Where their shared libraries lie, where that is not where the system looks. */
  readonly libraries?: string;
}

const DEBIAN = '/usr/lib/postgresql';
const FETCH = fileURLToPath(new URL('../../../../tools/fetch-postgres.sh', import.meta.url));
const WAYS = [
  'install PostgreSQL 13 or newer (Debian: apt install postgresql; macOS: brew install postgresql@17)',
  'or set POSTGRES_BIN to the folder that holds its initdb and postgres',
  'or set RETRACE_SKIP_POSTGRES=1 to leave these specs out',
].join(', ');

/**
 * Finds PostgreSQL: `POSTGRES_BIN`, the PATH, `/usr/lib/postgresql`, else Debian's packages, unpacked into the user's
 * cache without root. Rejects with the ways to get it.
 */
export async function findPostgres(): Promise<PostgresBinaries> {
  const given = process.env['POSTGRES_BIN'];
  const folders = given ? [given] : [...(process.env['PATH'] ?? '').split(delimiter), ...(await debianFolders())];
  for (const folder of folders) if (await holdsServer(folder)) return { folder };
  if (given) throw new Error(`POSTGRES_BIN is ${given}, which holds no initdb and postgres; ${WAYS}`);
  return fetched();
}

/** `RETRACE_SKIP_POSTGRES=1`: somebody decided to do without; nothing is left out silently. */
export const postgresIsSkipped = (): boolean => process.env['RETRACE_SKIP_POSTGRES'] === '1';

async function debianFolders(): Promise<string[]> {
  const versions = await readdir(DEBIAN).catch(() => []);
  const newestFirst = versions.toSorted((a, b) => Number(b) - Number(a));
  return newestFirst.map((version) => join(DEBIAN, version, 'bin'));
}

async function holdsServer(folder: string): Promise<boolean> {
  if (folder === '') return false;
  const binaries = ['initdb', 'postgres'].map((name) => access(join(folder, name), constants.X_OK));
  return Promise.all(binaries).then(
    () => true,
    () => false,
  );
}

async function fetched(): Promise<PostgresBinaries> {
  // PostgreSQL runs as another user than root, who cannot look into root's own folder.
  const home = process.getuid?.() === 0 ? '/var/cache' : join(homedir(), '.cache');
  const cache = join(process.env['XDG_CACHE_HOME'] || home, 'retrace');
  try {
    const { stdout } = await promisify(execFile)(FETCH, [cache]);
    const [binary, libraries] = stdout.trim().split('\n');
    return { folder: dirname(binary!), ...(libraries && { libraries }) };
  } catch (cause) {
    throw new Error(`no PostgreSQL for the specs of the read models: ${WAYS}`, { cause });
  }
}
