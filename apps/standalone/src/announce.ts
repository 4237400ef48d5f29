import { removeRuntime, type RetraceHome, type Runtime, writeRuntime } from '@retrace/messaging';
import { Logger } from '@nestjs/common';
import { VERSION } from './version.js';

/** Keeps `runtime.json` true: who runs the system, where its bus is, and which process serves it now. */
export class Announcement {
  private runtime: Runtime | undefined;

  constructor(
    private readonly home: RetraceHome,
    private readonly mode: Runtime['mode'],
  ) {}

  async publish(url: string, natsPid: number | null): Promise<void> {
    const started_at = new Date().toISOString();
    this.runtime = { url, pid: process.pid, nats_pid: natsPid, mode: this.mode, started_at, version: VERSION };
    await writeRuntime(this.home, this.runtime);
  }

  /** The bus was started again. Before the first announcement there is nothing to correct. */
  correct(natsPid: number): void {
    if (!this.runtime) return;
    this.runtime = { ...this.runtime, nats_pid: natsPid };
    writeRuntime(this.home, this.runtime).catch((error: unknown) => new Logger(this.mode).error(String(error)));
  }

  async withdraw(): Promise<void> {
    this.runtime = undefined;
    await removeRuntime(this.home);
  }
}
