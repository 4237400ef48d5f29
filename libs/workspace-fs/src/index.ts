export { applyTransition } from './apply.js';
export { type Applied, type ApplyResult, type Refused } from './apply-work.js';
export { captureState, type Captured, type CaptureOptions } from './capture.js';
export { classify, type Position } from './classify.js';
export { openWorkspaceRoot, type WorkspaceRoot } from './control-folder.js';
export { fchmodAt, mkdirAt, readDir, readlinkAt, renameAt2, symlinkAt, unlinkAt, type RenameMode } from './entries.js';
export {
  fsyncDir,
  openAt,
  openFolder,
  openRoot,
  resolveBeneath,
  withHandle,
  type Resolved,
  type ResolveOptions,
} from './handles.js';
export { tryReadLease, type Lease } from './lease.js';
export { O } from './libc.js';
export { listDirectory, type DirectoryEntry } from './list-directory.js';
export { lockFile } from './lock.js';
export { type Name } from './names.js';
export { probe, type Probe } from './probe.js';
export { replaceExchange, type Exchange, type Replaced } from './replace-exchange.js';
export { resolveCanonical } from './resolve-canonical.js';
export { isFsError, SafeFsError, viaNode, type FsCode } from './safe-fs-error.js';
export { stage, type Content, type StageOptions } from './stage.js';
export { dropStaged, dropStagedAside, keepStaged, listStaged, openStaged, spareStaged } from './staging.js';
export { isSettled, needsInPlace, sameFile, sameState, statAt, statFd, type Stat } from './stat.js';
export { StatCache } from './stat-cache.js';
export { type Durability, type Transition, type TransitionOptions } from './transition.js';
export { undoTransition, type UndoOptions, type UndoResult } from './undo.js';
export { type LockHolder, WorkspaceLocked } from './workspace-locked.js';
export { walkTree, type Walked } from './walk-tree.js';
export { writeInPlace, type WrittenInPlace } from './write-in-place.js';
