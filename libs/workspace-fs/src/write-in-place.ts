import { samePathState, type FileState, type PathState } from '@retrace/contracts';
import fs from 'node:fs';
import { captureHandle } from './capture.js';
import type { WorkspaceRoot } from './control-folder.js';
import { chmodFd } from './entries.js';
import { openAt, reopen, withHandle } from './handles.js';
import { O } from './libc.js';
import { SafeFsError, viaNode } from './safe-fs-error.js';
import { pour, pourInto, type Content } from './stage.js';
import { permissions, statFd } from './stat.js';
import { locate, type Transition, type TransitionOptions } from './transition.js';

export type WrittenInPlace = { outcome: 'applied' } | { outcome: 'changed'; found: PathState };

function overwrite(handle: number, content: Content, to: FileState, options: TransitionOptions): void {
  withHandle(reopen(handle, O.RDWR), (fd) => {
    pourInto(fd, content, to);
    viaNode('ftruncate', to.hash, () => fs.ftruncateSync(fd, to.size));
    if (permissions(statFd(fd)) !== to.mode) chmodFd(handle, to.mode);
    if (options.durability === 'power') viaNode('fsync', to.hash, () => fs.fsyncSync(fd));
  });
}

/**
 * Writes through a held handle into the file itself, so that its other names, owner and attributes stay.
 * The caller has made the pre-image durable first: a crash within leaves a mixture of both contents.
 * The content is read twice, and checked before the first byte is written.
 * @throws SafeFsError content_mismatch, not_permitted, no_space, busy; unsupported unless both states are files
 */
export function writeInPlace(
  root: WorkspaceRoot,
  transition: Transition,
  content: Content,
  options: TransitionOptions = {},
): WrittenInPlace {
  const { path, from, to } = transition;
  if (from.kind !== 'file' || to.kind !== 'file') throw new SafeFsError('unsupported', 'writeInPlace', 0, path);
  pour(content, to, () => {});
  const { dirfd, name } = locate(root.rootFd, path);
  return withHandle(dirfd, () =>
    withHandle(openAt(dirfd, name, O.PATH), (handle) => {
      const found = captureHandle(handle, { cache: options.cache }).state;
      if (!samePathState(found, from)) return { outcome: 'changed', found };
      overwrite(handle, content, to, options);
      return { outcome: 'applied' };
    }),
  );
}
