import { closeSync, constants } from 'node:fs';
import { canonicalPath, CONTROL_FOLDER, type PathState, type WorkspacePath } from '@retrace/contracts';
import { isFsError, type Name, openFolder, readDir, readlinkAt, type Stat, statAt } from '@retrace/workspace-fs';
import { reasonOf, type Skipped } from './baseline-failure.js';
import type { PassedOver } from './ignoring/ignore-rules.js';
import { IgnoreStack } from './ignoring/ignore-stack.js';
import { rulesAt } from './ignoring/rules-at.js';

/** What a walk comes across. The handle of a file's folder is open as long as the walk stands at the file. */
export type Found =
  | { readonly kind: 'file'; readonly path: WorkspacePath; readonly dirfd: number; readonly name: Name }
  | { readonly kind: 'state'; readonly path: WorkspacePath; readonly state: PathState }
  | { readonly kind: 'rules'; readonly path: string }
  | { readonly kind: 'ignored' }
  | ({ readonly kind: 'skipped' } & Skipped);

interface Folder {
  readonly path: string;
  readonly ignore: IgnoreStack;
}

const skipped = (path: string, why: string): Found => ({ kind: 'skipped', path, why });
const below = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`);

/**
 * Walks a workspace by handles, following no link: all but what its ignore files leave out, `.git`, control folders,
 * and what is mounted there. Takes a step when it is asked for the next.
 */
export function* walk(rootFd: number): Generator<Found, void, void> {
  const ahead: Folder[] = [{ path: '', ignore: IgnoreStack.EMPTY }];
  for (let folder = ahead.pop(); folder; folder = ahead.pop()) {
    const dirfd = yield* opened(rootFd, folder);
    if (dirfd === undefined) continue;
    try {
      yield* walkFolder(dirfd, folder, ahead);
    } finally {
      closeSync(dirfd);
    }
  }
}

function* opened(rootFd: number, { path }: Folder): Generator<Found, number | undefined, void> {
  try {
    return openFolder(rootFd, path === '' ? [] : path.split('/'), { sameMount: true });
  } catch (error) {
    if (isFsError(error, 'outside_root')) yield skipped(path, 'another file system is mounted there');
    // Removed, or replaced by something else, since its own folder was listed.
    else if (!isFsError(error, 'absent', 'not_a_folder', 'link_refused')) yield skipped(path, reasonOf(error));
    return undefined;
  }
}

function* walkFolder(dirfd: number, folder: Folder, ahead: Folder[]): Generator<Found, void, void> {
  const names = yield* listed(dirfd, folder);
  let { ignore } = folder;
  for (const { name, rules } of rulesAt(dirfd, new Set(names))) {
    ignore = ignore.with(folder.path, rules);
    const path = below(folder.path, name);
    yield { kind: 'rules', path };
    if (rules.passedOver.length > 0) yield skipped(path, whatWasPassedOver(rules.passedOver));
  }
  for (const name of names) {
    if (name === CONTROL_FOLDER) continue;
    const found = look(dirfd, folder.path, name, ignore);
    if (!found) continue;
    yield found;
    if (found.kind === 'state' && found.state.kind === 'directory') ahead.push({ path: found.path, ignore });
  }
}

/** The file itself is stored as any other. */
function whatWasPassedOver([first, ...more]: readonly PassedOver[]): string {
  const others = more.length === 0 ? '' : '; so were others of its patterns';
  return `its pattern in line ${first!.line} was passed over: ${first!.why}${others}`;
}

function* listed(dirfd: number, { path }: Folder): Generator<Found, Name[], void> {
  try {
    return readDir(dirfd);
  } catch (error) {
    yield skipped(path === '' ? '.' : path, reasonOf(error));
    return [];
  }
}

/** Undefined: nothing stands there any more. */
function look(dirfd: number, folder: string, name: Name, ignore: IgnoreStack): Found | undefined {
  const path = below(folder, name.toString());
  try {
    const stat = statAt(dirfd, name);
    if (name === '.git' || ignore.ignores(folder, name, stat.isFolder)) return { kind: 'ignored' };
    if (typeof name !== 'string') return skipped(path, 'its name is not UTF-8');
    const canonical = canonicalPath(path);
    return canonical.ok ? kept(dirfd, name, canonical.path, stat) : skipped(path, canonical.message);
  } catch (error) {
    return isFsError(error, 'absent') ? undefined : skipped(path, reasonOf(error));
  }
}

function kept(dirfd: number, name: Name, path: WorkspacePath, stat: Stat): Found {
  if (stat.isFile) return { kind: 'file', path, dirfd, name };
  if (stat.isFolder) return { kind: 'state', path, state: { kind: 'directory', mode: stat.mode & 0o7777 } };
  if (!stat.isLink) return skipped(path, `it is a ${specialType(stat)}, which is never opened`);
  const bytes = readlinkAt(dirfd, name);
  const target = bytes.toString();
  if (!Buffer.from(target).equals(bytes)) return skipped(path, 'what the link names is not UTF-8');
  return { kind: 'state', path, state: { kind: 'link', target } };
}

function specialType({ mode }: Stat): string {
  const kind = mode & constants.S_IFMT;
  if (kind === constants.S_IFIFO) return 'FIFO';
  return kind === constants.S_IFSOCK ? 'socket' : 'device';
}
