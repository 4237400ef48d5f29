import { chmod, constants, copyFile, open, rm } from 'node:fs/promises';
import type { FileHandle } from 'node:fs/promises';
import { writeFully } from './file-bytes.js';

/** Only the store's own account reads contents; an adopted file's mode must not widen that. */
const PRIVATE_MODE = 0o600;

/** A file that is not a blob yet. Lost when the process dies. */
export class TempFile {
  private constructor(
    readonly path: string,
    readonly handle: FileHandle,
  ) {}

  static async create(path: string): Promise<TempFile> {
    return new TempFile(path, await open(path, 'wx+', PRIVATE_MODE));
  }

  /** Copies the file that a handle holds, sharing its blocks where the file system can. */
  static async copyOf(source: FileHandle, path: string): Promise<TempFile> {
    try {
      // By its handle: whatever stands at its name by now is another file.
      await copyFile(`/proc/self/fd/${source.fd}`, path, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      await chmod(path, PRIVATE_MODE);
      return new TempFile(path, await open(path, 'r+'));
    } catch (error) {
      await rm(path, { force: true });
      throw error;
    }
  }

  async write(bytes: Uint8Array, position: number): Promise<void> {
    await writeFully(this.handle, bytes, position);
  }

  async remove(): Promise<void> {
    await this.handle.close();
    await rm(this.path, { force: true });
  }
}
