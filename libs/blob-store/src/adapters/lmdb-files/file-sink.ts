import type { PutOutcome } from '../../blob-store.port.js';
import type { UploadSink } from '../../uploads/upload-sink.js';
import type { TempFile } from './temp-file.js';

/** Gathers an upload in a temp file, made when the first bytes come. */
export class FileSink implements UploadSink {
  #temp: TempFile | undefined;

  constructor(
    private readonly create: () => Promise<TempFile>,
    private readonly install: (temp: TempFile) => Promise<PutOutcome>,
  ) {}

  async write(bytes: Uint8Array, position: number): Promise<void> {
    this.#temp ??= await this.create();
    await this.#temp.write(bytes, position);
  }

  async keep(): Promise<PutOutcome> {
    this.#temp ??= await this.create();
    return this.install(this.#temp);
  }

  async discard(): Promise<void> {
    await this.#temp?.remove();
  }
}
