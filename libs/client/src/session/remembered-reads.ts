import type { ReadableStream } from 'node:stream/web';
import { type PathState, samePathState } from '@retrace/contracts';
import type { Found, SessionMemory } from '../memory/session-memory.js';
import type { Files, PathStatus, StatOptions } from '../reading/files.js';
import type { FileContent } from '../reading/read-ranges.js';
import { streamOf } from '../reading/stream-of.js';

/** Readings of a session, which its memory hears of. */
export class RememberedReads {
  constructor(
    private readonly files: Files,
    private readonly memory: SessionMemory,
  ) {}

  async read(path: string): Promise<FileContent> {
    const read = () => Promise.all([this.files.read(path), this.where(path)]);
    const [content] = await this.memory.look(path, read, ([{ state }, status]) => found(state, status));
    return content;
  }

  readStream(path: string): ReadableStream<Uint8Array> {
    return streamOf(this.chunks(path));
  }

  stat(path: string, options: StatOptions): Promise<PathStatus> {
    return this.memory.look(
      path,
      () => this.files.stat(path, options),
      (status) => status,
    );
  }

  private async *chunks(path: string): AsyncGenerator<Uint8Array> {
    const look = this.memory.beginLook(path);
    let state: PathState | undefined;
    try {
      yield* this.files.chunks(path, (read) => (state = read));
      look.found(state && found(state, await this.where(path)));
    } catch (error) {
      look.found(undefined);
      throw error;
    } finally {
      look.dropped();
    }
  }

  /** A reading says what was found, not where: a link may be on the way. */
  private async where(path: string): Promise<PathStatus | undefined> {
    return this.memory.enabled ? this.files.stat(path).catch(() => undefined) : undefined;
  }
}

/** Nothing where the two disagree: the file changed in between. */
const found = (state: PathState, status: PathStatus | undefined): Found | undefined =>
  status && samePathState(state, status.state) ? { canonical: status.canonical, state } : undefined;
