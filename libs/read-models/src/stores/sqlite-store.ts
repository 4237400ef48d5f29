import { readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ReadModels } from '../read-models.js';
import { isCurrent, type NumberedReadModels, type ReadModelStore } from './read-model-store.js';

/** Holds the number of the current file; absent where it is the first. */
const POINTER = 'read-models.current';
const FILE = /^read-models(?:-(\d+))?\.sqlite(?:-wal|-shm|-journal)?$/;

/** Read models as files in a folder. */
export class SqliteStore implements ReadModelStore {
  private newest = 1;

  constructor(private readonly folder: string) {}

  async openCurrent(): Promise<NumberedReadModels> {
    const number = await this.current();
    this.newest = number;
    for (const name of await readdir(this.folder)) {
      const other = FILE.exec(name);
      if (other && Number(other[1] ?? 1) !== number) await rm(join(this.folder, name));
    }
    return this.open(number);
  }

  async openNext(): Promise<NumberedReadModels> {
    this.newest = Math.max(this.newest, await this.current()) + 1;
    await this.drop(this.newest);
    return this.open(this.newest);
  }

  /** Renamed into place, so that the pointer is never half written. */
  async makeCurrent(number: number): Promise<void> {
    const pointer = join(this.folder, POINTER);
    await writeFile(`${pointer}.new`, String(number), { flush: true });
    await rename(`${pointer}.new`, pointer);
  }

  async drop(number: number): Promise<void> {
    if ((await this.current()) === number) throw isCurrent(number);
    for (const end of ['', '-wal', '-shm', '-journal']) await rm(`${this.file(number)}${end}`, { force: true });
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private async open(number: number): Promise<NumberedReadModels> {
    return { number, models: await ReadModels.open({ kind: 'sqlite', file: this.file(number) }) };
  }

  private file(number: number): string {
    return join(this.folder, number === 1 ? 'read-models.sqlite' : `read-models-${number}.sqlite`);
  }

  private async current(): Promise<number> {
    try {
      return Number(await readFile(join(this.folder, POINTER), 'utf8')) || 1;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 1;
      throw error;
    }
  }
}
