import fs from 'node:fs';
import { readDir, renameAt2, unlinkIfThere } from './entries.js';
import { openIfThere, withHandle } from './handles.js';
import { tryWriteLease } from './lease.js';
import { libc, O } from './libc.js';
import type { Name } from './names.js';
import { isFsError } from './safe-fs-error.js';
import { statFd, type Stat } from './stat.js';

const MOST_FILES = 1024;
const MOST_BYTES = 16n * 1024n * 1024n;
/** Of one file: what is larger is removed. */
const LARGEST_BYTES = 64n * 1024n;

/** A spare that nobody else has open, and nobody can open before `fd` is closed. */
export interface Spare {
  readonly fd: number;
  readonly name: string;
  readonly stat: Stat;
}

/**
 * Small files whose content nobody needs any more, kept to take new content. Removing a file for each that is made costs
 * far more than writing into it: an ext4 without journal passes over every inode that was freed in the last minutes
 * whenever it looks for a free one. A file is used again only where a write lease proves that nobody has it open: who
 * opened an old version goes on reading it.
 */
export class SpareFiles {
  private readonly names: string[] = [];
  private bytes = 0n;
  private count = 0;

  constructor(private readonly folderFd: number) {}

  /** Takes over a file under `name` in another folder; answers false, and leaves it, where it is none to be used again. */
  keep(dirfd: number, name: Name, { isFile, nlink, size, uid, gid }: Stat): boolean {
    const plain = isFile && nlink === 1 && size <= LARGEST_BYTES && isOurs(uid, gid);
    if (!plain || this.names.length >= MOST_FILES || this.bytes + size > MOST_BYTES) return false;
    const kept = String(this.count++);
    renameAt2(dirfd, name, this.folderFd, kept, 'noreplace');
    this.names.push(kept);
    this.bytes += size;
    return true;
  }

  /** The receiver gives it away with {@link give} or ends it with {@link drop}. */
  take(): Spare | undefined {
    for (let name = this.names.pop(); name !== undefined; name = this.names.pop()) {
      const spare = this.open(name);
      this.bytes = this.names.length === 0 ? 0n : this.bytes - (spare?.stat.size ?? 0n);
      if (spare) return spare;
      unlinkIfThere(this.folderFd, name);
    }
    return undefined;
  }

  /** Puts it, whole, under a free name of another folder and closes it. */
  give({ fd, name }: Spare, dirfd: number, as: Name): void {
    withHandle(fd, () => renameAt2(this.folderFd, name, dirfd, as, 'noreplace'));
  }

  drop({ fd, name }: Spare): void {
    fs.closeSync(fd);
    unlinkIfThere(this.folderFd, name);
  }

  /** Also what an earlier process left. */
  clear(): void {
    for (const name of readDir(this.folderFd)) unlinkIfThere(this.folderFd, name);
    this.names.length = 0;
    this.bytes = 0n;
  }

  private open(name: string): Spare | undefined {
    const fd = this.tryOpen(name);
    if (fd === undefined) return undefined;
    const stat = statFd(fd);
    // Extended attributes would go over to the next content.
    if (stat.isFile && stat.nlink === 1 && libc.flistxattr(fd, null, 0) === 0 && tryWriteLease(fd))
      return { fd, name, stat };
    fs.closeSync(fd);
    return undefined;
  }

  /** What is run or mapped cannot be opened for writing. */
  private tryOpen(name: string): number | undefined {
    try {
      return openIfThere(this.folderFd, name, O.RDWR);
    } catch (error) {
      if (isFsError(error)) return undefined;
      throw error;
    }
  }
}

const isOurs = (uid: number, gid: number): boolean => uid === process.geteuid?.() && gid === process.getegid?.();
