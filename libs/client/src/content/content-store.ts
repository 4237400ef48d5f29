import type { WorkspaceName } from '@retrace/contracts';
import type { CallClient } from '@retrace/messaging/client';
import { BlobUploader } from './blob-uploader.js';
import { type Content, nameContent, type NamedContent, type StoredContent } from './content.js';
import { Limiter } from './limiter.js';
import { withSource } from './source.js';

/** Files and streams that are open at once. */
const SOURCES = 16;

/** Where content goes before, or while, an intent names it. */
export class ContentStore {
  private readonly uploader: BlobUploader;
  private readonly sources = new Limiter(SOURCES);

  constructor(calls: Pick<CallClient, 'call'>, workspace: WorkspaceName) {
    this.uploader = new BlobUploader(calls, workspace);
  }

  /** Resolves once it is durable. Rejects with ContentError or RetraceError. */
  async put(content: Content, signal?: AbortSignal): Promise<StoredContent> {
    const named = nameContent(content);
    if (named) return this.upload(named);
    const source = content as Exclude<Content, string>;
    quiet(source);
    return this.sources.run(() => withSource(source, (read) => this.upload(read), signal));
  }

  /** Resolves once all are durable. */
  uploadAll(contents: readonly NamedContent[]): Promise<void> {
    return this.uploader.putAll(contents);
  }

  async upload(content: NamedContent): Promise<StoredContent> {
    await this.uploader.put(content);
    return { hash: content.hash, size: content.size };
  }
}

/** A Node stream that fails while it waits for its turn must not end the process: reading it tells of the error. */
function quiet(source: unknown): void {
  const { on } = source as { on?: unknown };
  if (typeof on === 'function') (source as NodeJS.ReadableStream).on('error', () => undefined);
}
