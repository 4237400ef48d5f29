import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { AccountsError } from './accounts-error.js';

const WAIT_MS = 10_000;
const POLL_MS = 10;

const hasCode = (error: unknown, code: string): boolean => (error as NodeJS.ErrnoException).code === code;

/** Linked, not created: a lock then never exists without its owner's pid in it. */
const tryTake = async (path: string): Promise<boolean> => {
  const claim = `${path}.${randomUUID()}`;
  await writeFile(claim, String(process.pid), { flag: 'wx', mode: 0o600 });
  try {
    await link(claim, path);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  } finally {
    await rm(claim);
  }
};

const ownerOf = async (path: string): Promise<number | null> =>
  readFile(path, 'utf8').then(Number, (error: unknown) => {
    if (hasCode(error, 'ENOENT')) return null;
    throw error;
  });

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return hasCode(error, 'EPERM'); // somebody else's process, but one that runs
  }
};

const isStale = async (path: string): Promise<boolean> => {
  const owner = await ownerOf(path);
  return owner !== null && !isAlive(owner);
};

/**
 * Removes a lock whose owner is dead. One breaker at a time, which looks again once it is the only one: between another's
 * look and its removal a live process could have taken the lock.
 */
const breakIfStale = async (path: string): Promise<void> => {
  if (!(await isStale(path))) return;
  const breaker = `${path}.break`;
  try {
    await mkdir(breaker);
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return;
    throw error;
  }
  try {
    if (await isStale(path)) await rm(path, { force: true });
  } finally {
    await rmdir(breaker);
  }
};

const take = async (path: string, waitMs: number): Promise<void> => {
  const deadline = Date.now() + waitMs;
  while (!(await tryTake(path))) {
    if (Date.now() > deadline) throw locked(path, await ownerOf(path));
    await breakIfStale(path);
    await sleep(POLL_MS);
  }
};

const locked = (path: string, owner: number | null): AccountsError =>
  new AccountsError(
    'credentials_locked',
    `${path} is held by process ${owner ?? '?'}. Try again; if no such retrace process runs, delete ${path} and ${path}.break.`,
  );

/** Runs `work` while holding the lock file at `path`. Errors: `credentials_locked` when it is not free within `waitMs`. */
export const withLockFile = async <T>(path: string, work: () => Promise<T>, waitMs = WAIT_MS): Promise<T> => {
  await take(path, waitMs);
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
};
