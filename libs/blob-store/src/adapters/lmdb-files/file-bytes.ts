import { createHash } from 'node:crypto';
import type { FileHandle } from 'node:fs/promises';

/** Bytes read and hashed at a time: large enough to be fast, small enough not to hold up the event loop. */
export const SLICE_BYTES = 1024 * 1024;

/** Fills the target from the position, and answers how many bytes there were; fewer only at the file's end. */
export async function readFully(handle: FileHandle, target: Uint8Array, position: number): Promise<number> {
  let filled = 0;
  while (filled < target.length) {
    const { bytesRead } = await handle.read(target, filled, target.length - filled, position + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return filled;
}

/** Writes all of the bytes at the position. */
export async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let written = 0;
  while (written < bytes.length) {
    const step = await handle.write(bytes, written, bytes.length - written, position + written);
    written += step.bytesWritten;
  }
}

/** Hashes the first `size` bytes, handing each slice on. Answers undefined where the file is not of that size. */
export async function hashFile(handle: FileHandle, size: number, target?: Uint8Array): Promise<string | undefined> {
  if ((await handle.stat()).size !== size) return undefined;
  const digest = createHash('sha256');
  const buffer = target ?? Buffer.allocUnsafe(Math.min(SLICE_BYTES, size));
  for (let done = 0; done < size; done += SLICE_BYTES) {
    const from = target ? done : 0;
    const slice = buffer.subarray(from, from + Math.min(SLICE_BYTES, size - done));
    if ((await readFully(handle, slice, done)) < slice.length) return undefined;
    digest.update(slice);
  }
  return digest.digest('hex');
}
