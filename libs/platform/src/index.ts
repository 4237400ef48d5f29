export { failpoint } from './failpoint.js';
export { type FolderLock, FolderLocked, lockFolder } from './folder-lock.js';
