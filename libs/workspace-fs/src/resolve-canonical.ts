import { readlinkAt } from './entries.js';
import { openFolder, splitPath, withHandle } from './handles.js';
import { unlessAbsent } from './capture.js';
import { utf8 } from './names.js';
import { SafeFsError } from './safe-fs-error.js';
import { statAt, type Stat } from './stat.js';

const MOST_LINKS = 40;

interface Found {
  stat: Stat;
  target?: Buffer;
}

/** Looks at one entry below folders that are known to be no links. */
function lookAt(rootFd: number, folders: readonly string[], name: string): Found | undefined {
  return unlessAbsent(() =>
    withHandle(openFolder(rootFd, folders), (dirfd) => {
      const stat = statAt(dirfd, name);
      return stat.isLink ? { stat, target: readlinkAt(dirfd, name) } : { stat };
    }),
  );
}

/** Answers the names of an absolute target below the root. Only the root's own real path counts as inside. */
function beneath(rootPath: string, target: string, relPath: string): string[] {
  const prefix = rootPath.endsWith('/') ? rootPath : `${rootPath}/`;
  if (target !== rootPath && !target.startsWith(prefix))
    throw new SafeFsError('outside_root', 'resolveCanonical', 0, relPath);
  return target.slice(prefix.length).split('/');
}

/**
 * Answers the path of the object that a write through `relPath` would act on, following links inside the root,
 * the last one included. Names beyond the first missing one are kept as they are. `''` is the root itself.
 * `rootPath` is the root's real path (`WorkspaceRoot.path`). The answer may lie in the control folder: judge it anew.
 * @throws SafeFsError outside_root; link_refused after 40 links; not_a_folder; invalid_name; absent for `..` behind a missing name
 */
export function resolveCanonical(rootFd: number, relPath: string, rootPath: string): string {
  const pending = splitPath(relPath).toReversed();
  let done: string[] = [];
  let links = 0;
  for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
    if (name === '' || name === '.') continue;
    if (name === '..') {
      if (done.pop() === undefined) throw new SafeFsError('outside_root', 'resolveCanonical', 0, relPath);
      continue;
    }
    const found = lookAt(rootFd, done, name);
    if (found === undefined) return missingTail(done, name, pending, relPath);
    if (found.target === undefined) {
      done.push(name);
      if (!found.stat.isFolder && pending.some((next) => next !== ''))
        throw new SafeFsError('not_a_folder', 'resolveCanonical', 0, relPath);
      continue;
    }
    links += 1;
    const target = utf8(found.target);
    if (links > MOST_LINKS) throw new SafeFsError('link_refused', 'resolveCanonical', 0, relPath);
    if (target === undefined) throw new SafeFsError('invalid_name', 'resolveCanonical', 0, relPath);
    if (target.startsWith('/')) done = [];
    const next = target.startsWith('/') ? beneath(rootPath, target, relPath) : target.split('/');
    pending.push(...next.toReversed());
  }
  return done.join('/');
}

function missingTail(done: string[], name: string, pending: string[], relPath: string): string {
  const tail = pending.toReversed().filter((next) => next !== '' && next !== '.');
  // The kernel finds nothing behind a missing name either; taking ".." by text would name another object.
  if (tail.includes('..')) throw new SafeFsError('absent', 'resolveCanonical', 0, relPath);
  return [...done, name, ...tail].join('/');
}
