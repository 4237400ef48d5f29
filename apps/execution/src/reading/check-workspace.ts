import { randomBytes } from 'node:crypto';
import { accessSync, closeSync, constants, readFileSync, statfsSync } from 'node:fs';
import { type Check, errorCodeOf } from '@retrace/contracts';
import { dropStaged, listStaged, O, openAt, probe, type Probe } from '@retrace/workspace-fs';
import { movedMessage, stillStands } from '../workspaces/still-stands.js';
import { stagingPath, type Workspace } from '../workspaces/workspace.js';

const MEBI = 1024 * 1024;
const LEAST_BYTES = 64 * MEBI;
const FEW_BYTES = 1024 * MEBI;
const FEW_FILES = 10_000;

type Look = (workspace: Workspace) => Check;

/** Looks at a workspace from where its executor stands. A look that fails is an answer, too. */
export const checkWorkspace = (workspace: Workspace): Check[] =>
  Object.entries(LOOKS).map(([name, look]) => tried(name, () => look(workspace)));

/** The answer where no executor has the workspace open. Throws what says something else. */
export function unavailable(error: unknown): Check {
  if (errorCodeOf(error) !== 'workspace_unavailable') throw error;
  return failed('path', (error as Error).message, 'bring the folder back, then add the workspace again or restart');
}

function tried(check: string, look: () => Check): Check {
  try {
    return look();
  } catch (error) {
    return failed(check, (error as Error).message, 'put right what the message names, and check again');
  }
}

const ok = (check: string, found: string): Check => ({ check, status: 'ok', found, remedy: null });
const warning = (check: string, found: string, remedy: string): Check => ({ check, status: 'warning', found, remedy });
const failed = (check: string, found: string, remedy: string): Check => ({ check, status: 'failed', found, remedy });

const LOOKS: Record<string, Look> = {
  path: (workspace) =>
    stillStands(workspace)
      ? ok('path', `${workspace.root.path} is the folder that is held`)
      : failed(
          'path',
          movedMessage(workspace),
          `bring the folder back to ${workspace.root.path}, or restart the system`,
        ),
  'permission: root': ({ root }) => permission('permission: root', root.path),
  'permission: staging': writesStaging,
  disk,
  lock,
  kernel: ({ root }) => kernel(probe(root.controlFd)),
  'needs attention': leftovers,
};

function permission(check: string, folder: string): Check {
  try {
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok(check, `user ${process.geteuid?.()} may read and write ${folder}`);
  } catch (error) {
    const remedy = `give user ${process.geteuid?.()} read, write and search permission on ${folder}, and check its mount`;
    return failed(check, (error as Error).message, remedy);
  }
}

function writesStaging({ root, ...rest }: Workspace): Check {
  const check = 'permission: staging';
  const name = `check-${randomBytes(6).toString('hex')}.part`;
  const folder = stagingPath({ root, ...rest });
  try {
    closeSync(openAt(root.stagingFd, name, O.WRONLY | O.CREAT | O.EXCL));
    dropStaged(root, name);
    return ok(check, `a file was made in ${folder} and removed`);
  } catch (error) {
    return failed(check, (error as Error).message, `give user ${process.geteuid?.()} ownership of ${folder}`);
  }
}

function disk({ root }: Workspace): Check {
  const { bavail, bsize, blocks, files, ffree } = statfsSync(root.path);
  const free = bavail * bsize;
  const found = `${mebi(free)} of ${mebi(blocks * bsize)} MiB free${files > 0 ? `, ${ffree} more files possible` : ''}`;
  const remedy = 'free space on that file system: each change keeps what it replaces until it is stored';
  if (free < LEAST_BYTES) return failed('disk', found, remedy);
  const scarce = free < FEW_BYTES || (files > 0 && ffree < FEW_FILES);
  return scarce ? warning('disk', found, remedy) : ok('disk', found);
}

const mebi = (bytes: number): number => Math.floor(bytes / MEBI);

function lock({ root }: Workspace): Check {
  const file = `${root.path}/.retrace/lock`;
  const { pid, since } = JSON.parse(readFileSync(file, 'utf8')) as { pid?: number; since?: string };
  if (pid === process.pid) return ok('lock', `held by this executor, pid ${pid}, since ${since}`);
  const remedy = `find out who wrote ${file}, then restart the system`;
  return failed('lock', `${file} names pid ${pid ?? 'unknown'}, not this executor (${process.pid})`, remedy);
}

function kernel({ openat2, exchange, noreplace, lease, reflink }: Probe): Check {
  const missing = Object.entries({ openat2, exchange, noreplace }).flatMap(([name, there]) => (there ? [] : [name]));
  const have = `reflink ${reflink ? 'yes' : 'no'}, read leases ${lease}`;
  if (missing.length > 0) {
    const remedy = 'use a local Linux file system (ext4, xfs, btrfs, tmpfs), and a sandbox that allows these calls';
    return failed('kernel', `${missing.join(', ')} missing; ${have}`, remedy);
  }
  if (lease === 'no-writer') return ok('kernel', `openat2, rename exchange and noreplace work; ${have}`);
  const remedy =
    'open writers are not noticed here, only what they wrote: run as the owner of the files, on a local file system';
  return warning('kernel', `openat2, rename exchange and noreplace work; ${have}`, remedy);
}

function leftovers({ root, ...rest }: Workspace): Check {
  const kept = listStaged(root)
    .map(String)
    .filter((name) => name.includes('.kept-'));
  if (kept.length === 0) return ok('needs attention', 'nothing was kept aside');
  const some = `${kept.slice(0, 5).join(', ')}${kept.length > 5 ? ', …' : ''}`;
  const remedy =
    'compare them with what stands in the workspace (the operation that failed names the paths), then move or remove them';
  return warning('needs attention', `${kept.length} kept in ${stagingPath({ root, ...rest })}: ${some}`, remedy);
}
