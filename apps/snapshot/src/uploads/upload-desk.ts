import {
  BlobHashSchema,
  type BlobHash,
  decodeContents,
  type Principal,
  RetraceError,
  RPC_HEADERS,
} from '@retrace/contracts';
import type { BlobStore } from '@retrace/blob-store';
import type { CallContext } from '@retrace/messaging';
import { failpoint } from '@retrace/platform/failpoint';
import { z } from 'zod';
import { OpenUploads } from './open-uploads.js';
import type { UploadLedger } from './upload-ledger.js';

const HeadersSchema = z.object({
  hash: BlobHashSchema,
  offset: z.coerce.number().int().min(0),
  size: z.coerce.number().int().min(0),
});

export interface Progress {
  readonly received: number;
  readonly done: boolean;
}

/** Takes content in, chunk by chunk, and writes down who brought it. */
export class UploadDesk {
  private readonly uploads = new OpenUploads();

  constructor(
    private readonly store: BlobStore,
    private readonly ledger: UploadLedger,
  ) {}

  async take(chunk: Uint8Array, { caller, header }: CallContext): Promise<Progress> {
    const { hash, offset, size } = parseHeaders(header);
    const { principal } = caller;
    if (offset === 0 && chunk.length === size) await this.store.put(hash, chunk);
    else if (!(await this.append(principal, hash, size, offset, chunk)))
      return { received: offset + chunk.length, done: false };
    failpoint('upload.before-ledger');
    if (principal !== undefined) await this.ledger.add(principal, hash);
    return { received: size, done: true };
  }

  /** Rejects where one of them is not what its name says; the others may be there then, and belong to nobody. */
  async takeMany(body: Uint8Array, principal: Principal | undefined): Promise<{ stored: number }> {
    const contents = decodeContents(body);
    // Put in one turn, they are committed in one transaction; and so are the rows.
    await Promise.all(contents.map(({ hash, bytes }) => this.store.put(hash, bytes)));
    if (principal !== undefined) await Promise.all(contents.map(({ hash }) => this.ledger.add(principal, hash)));
    return { stored: contents.length };
  }

  /** True when this chunk completed the content and it is durable. */
  private async append(
    principal: Principal | undefined,
    hash: BlobHash,
    size: number,
    offset: number,
    chunk: Uint8Array,
  ): Promise<boolean> {
    const open = () => this.store.openUpload(hash, size);
    const key = `${hash} ${size}`;
    try {
      const upload = await this.uploads.of(principal, key, open);
      if ((await upload.append(offset, chunk)) < size) return false;
      failpoint('upload.before-commit');
      await upload.commit();
      this.uploads.forget(principal, key);
      return true;
    } catch (error) {
      this.uploads.forget(principal, key);
      throw error;
    }
  }
}

function parseHeaders(header: CallContext['header']) {
  const parsed = HeadersSchema.safeParse({
    hash: header(RPC_HEADERS.hash),
    offset: header(RPC_HEADERS.offset),
    size: header(RPC_HEADERS.size),
  });
  if (parsed.success) return parsed.data;
  throw new RetraceError(
    'bad_request',
    `blob.put needs Retrace-Hash, -Offset and -Size: ${z.prettifyError(parsed.error)}`,
  );
}
