import {
  BlobAdopt,
  BlobAdoptMany,
  BlobCheck,
  BlobGet,
  BlobMissing,
  BlobPresent,
  BlobPut,
  BlobPutMany,
  isOperator,
  RetraceError,
  RPC_HEADERS,
} from '@retrace/contracts';
import type { BlobError, BlobStore, PutOutcome } from '@retrace/blob-store';
import { Answers, type CallContext, RawReply } from '@retrace/messaging';
import { Controller, Inject } from '@nestjs/common';
import type { z } from 'zod';
import { checksOf } from '../health/checks-of.js';
import { BlobReaders } from '../reading/blob-readers.js';
import { UploadDesk } from '../uploads/upload-desk.js';
import { UploadLedger } from '../uploads/upload-ledger.js';

export const BLOB_STORE = 'BLOB_STORE';

/** Content in and out. */
@Controller()
export class BlobHandlers {
  constructor(
    @Inject(BLOB_STORE) private readonly store: BlobStore,
    private readonly ledger: UploadLedger,
    private readonly desk: UploadDesk,
    private readonly readers: BlobReaders,
  ) {}

  @Answers(BlobPut)
  put(chunk: Uint8Array, context: CallContext) {
    return this.desk.take(chunk, context);
  }

  @Answers(BlobPutMany)
  putMany(body: Uint8Array, { caller }: CallContext) {
    return this.desk.takeMany(body, caller.principal);
  }

  @Answers(BlobGet)
  async get({ hash, offset, length }: z.infer<typeof BlobGet.request>, { caller }: CallContext): Promise<RawReply> {
    await this.readers.require(caller.principal, hash);
    const bytes = await this.store.read(hash, offset, length);
    const size = await this.store.size(hash);
    return new RawReply(bytes, { [RPC_HEADERS.size]: String(size ?? 0) });
  }

  @Answers(BlobMissing)
  async missing({ principal, hashes, wait_ms }: z.infer<typeof BlobMissing.request>, { caller }: CallContext) {
    servicesOnly(caller.principal);
    return { missing: await this.ledger.missing(principal, hashes, wait_ms) };
  }

  @Answers(BlobPresent)
  async present({ hashes }: z.infer<typeof BlobPresent.request>, { caller }: CallContext) {
    servicesOnly(caller.principal);
    const there = await Promise.all(hashes.map((hash) => this.store.has(hash)));
    return { present: hashes.filter((_, i) => there[i]) };
  }

  @Answers(BlobAdopt)
  async adopt({ hash, size, file }: z.infer<typeof BlobAdopt.request>, { caller }: CallContext) {
    servicesOnly(caller.principal);
    return { adopted: (await this.store.adoptFile(hash, size, file)) === 'stored' };
  }

  @Answers(BlobAdoptMany)
  async adoptMany({ files }: z.infer<typeof BlobAdoptMany.request>, { caller }: CallContext) {
    servicesOnly(caller.principal);
    const outcomes = await this.store.adoptFiles(files.map(({ hash, size, file }) => ({ hash, size, path: file })));
    return { adopted: files.map(({ hash }, i) => ({ hash, problem: problemOf(outcomes[i]!) })) };
  }

  @Answers(BlobCheck)
  async check(_: z.infer<typeof BlobCheck.request>, { caller }: CallContext) {
    if (caller.principal === undefined || !isOperator(caller.principal))
      throw new RetraceError('forbidden', 'only operators look at the blob store; ask one to run: retrace doctor');
    return { checks: checksOf(await this.store.check()) };
  }
}

/** The code first, so that whoever asked can tell a file that changed from one that cannot be reached. */
const problemOf = (outcome: PutOutcome | BlobError): string | null =>
  typeof outcome === 'string' ? null : `${outcome.code}: ${outcome.message}`;

function servicesOnly(principal: string | undefined): void {
  if (principal !== undefined) throw new RetraceError('forbidden', 'this call is for services');
}
