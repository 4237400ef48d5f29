import { access, constants, stat, statfs } from 'node:fs/promises';
import type { Home } from '../home/home.js';
import { runsHere, runtimeOf } from '../home/runtime-file.js';
import { findStandalone } from '../home/standalone-entry.js';
import { type Finding, finding } from './finding.js';

const GIB = 1024 ** 3;
const LITTLE_BYTES = GIB;
const TOO_LITTLE_BYTES = GIB / 8;

/** What can be seen of the system's folder without it. */
export async function localFindings(home: Home, principal: string): Promise<Finding[]> {
  const there = await stat(home.folder).catch(() => undefined);
  if (!there?.isDirectory()) return [noHome(home), await program()];
  return [
    privacy(home, there.mode),
    await credentials(home, principal),
    await writable(home),
    await program(),
    await disk(home),
    await runtime(home),
  ];
}

const noHome = ({ folder }: Home): Finding =>
  finding({
    area: 'path',
    where: 'home',
    status: 'failed',
    found: `${folder} is no folder: no system was started on it`,
    remedy: 'retrace up makes it; or name another one: --home DIR, RETRACE_HOME',
  });

function privacy({ folder }: Home, mode: number): Finding {
  const bits = (mode & 0o777).toString(8).padStart(4, '0');
  const found = `${folder} has mode ${bits}`;
  const area = 'permission';
  if ((mode & 0o077) === 0) return finding({ area, where: 'home', status: 'ok', found });
  const remedy = `others can look into it: chmod 700 ${folder}`;
  return finding({ area, where: 'home', status: 'warning', found, remedy });
}

async function credentials(home: Home, principal: string): Promise<Finding> {
  const file = home.credentialFile(principal);
  const there = await stat(file).catch(() => undefined);
  const base = { area: 'permission', where: principal } as const;
  if (!there) {
    const remedy = principal.startsWith('_') ? 'retrace up writes it' : `retrace agent add ${principal} --workspace W`;
    return finding({ ...base, status: 'failed', found: `${file} is not there`, remedy });
  }
  if ((there.mode & 0o077) === 0)
    return finding({ ...base, status: 'ok', found: 'has credentials that it alone reads' });
  const remedy = `chmod 600 ${file}`;
  return finding({ ...base, status: 'warning', found: `others can read ${file}`, remedy });
}

async function writable({ folder }: Home): Promise<Finding> {
  const base = { area: 'path', where: 'home' } as const;
  return access(folder, constants.R_OK | constants.W_OK | constants.X_OK).then(
    () => finding({ ...base, status: 'ok', found: `${folder} can be read and written` }),
    ({ message }: Error) =>
      finding({ ...base, status: 'failed', found: message, remedy: 'run this as the user whose folder it is' }),
  );
}

async function program(): Promise<Finding> {
  const base = { area: 'path', where: 'program' } as const;
  try {
    return await Promise.resolve(finding({ ...base, status: 'ok', found: findStandalone() }));
  } catch (error) {
    return finding({ ...base, status: 'failed', found: (error as Error).message, remedy: 'npm run build' });
  }
}

async function disk({ folder }: Home): Promise<Finding> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  const base = { area: 'disk', where: 'home', found: `${(free / GIB).toFixed(1)} GiB free` } as const;
  if (free >= LITTLE_BYTES) return finding({ ...base, status: 'ok' });
  const remedy = 'the log and what was there before are kept here: make room on this disk';
  return finding({ ...base, status: free < TOO_LITTLE_BYTES ? 'failed' : 'warning', remedy });
}

async function runtime(home: Home): Promise<Finding> {
  const base = { area: 'locks', where: 'home' } as const;
  try {
    const written = await runtimeOf(home);
    if (!written) return finding({ ...base, status: 'ok', found: 'no process holds it' });
    if (await runsHere(written)) return finding({ ...base, status: 'ok', found: `process ${written.pid} holds it` });
    const found = `${home.runtimeFile} names process ${written.pid}, which is gone: the system did not stop in order`;
    return finding({ ...base, status: 'warning', found, remedy: 'retrace up: it goes on from the log' });
  } catch (error) {
    const { message, next } = error as Error & { next?: string };
    return finding({ ...base, status: 'failed', found: message, remedy: next ?? null });
  }
}
