import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findNatsServer, launchNatsServer } from '@retrace/platform';
import { eventually, type RetraceSystem } from '@retrace/testing';

/** The broker's store folder, copied away and put back behind the system's back. */
export class BrokerStore {
  private readonly store: string;
  private readonly copy: string;

  constructor(private readonly system: RetraceSystem) {
    this.store = join(system.home.nats, 'js');
    this.copy = join(system.folder, 'js-of-before');
  }

  /** Kills the broker; it is back, with what it had, when this resolves. */
  keep(): Promise<void> {
    return this.withoutBroker(async () => cpSync(this.store, this.copy, { recursive: true }));
  }

  /** Kills the broker; it is back with what {@link keep} kept, and with what `beside` adds to that before anybody looks. */
  putBack(beside?: (url: string) => Promise<void>): Promise<void> {
    return this.withoutBroker(async () => {
      rmSync(this.store, { recursive: true });
      cpSync(this.copy, this.store, { recursive: true });
      if (beside) await this.aside(beside);
    });
  }

  /** Whoever starts it again is held up meanwhile. */
  private async withoutBroker(work: () => Promise<void>): Promise<void> {
    const before = this.system.runtime.nats_pid!;
    process.kill(this.system.pid, 'SIGSTOP');
    try {
      process.kill(before, 'SIGKILL');
      while (isAlive(before)) await sleep(5);
      await work();
    } finally {
      process.kill(this.system.pid, 'SIGCONT');
    }
    await eventually(() => {
      if (this.system.runtime.nats_pid === before) throw new Error('the broker is not back');
    });
  }

  /** The same store and accounts at another address. */
  private async aside(work: (url: string) => Promise<void>): Promise<void> {
    const server = await launchNatsServer({
      binary: (await findNatsServer()).path,
      configFile: join(this.system.home.nats, 'nats.conf'),
      dataDir: mkdtempSync(join(this.system.folder, 'aside-')),
      logFile: join(this.system.folder, 'aside.log'),
    });
    try {
      await work(server.url);
    } finally {
      await server.stop();
    }
  }
}

/** A process that nobody has buried yet is dead all the same. */
function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
