import { setTimeout as sleep } from 'node:timers/promises';
import { pidOfService, type RetraceSystem } from '@retrace/testing';
import type { Random } from './random.js';

const SERVICES = ['policy', 'execution', 'snapshot', 'projection', 'rollback'] as const;
type Service = (typeof SERVICES)[number];
export type Victim = Service | 'broker' | 'system' | 'system+broker';

export interface Kill {
  readonly victim: Victim;
  readonly at: string;
  /** Milliseconds until it was up again, where the killer itself has to bring it up. */
  readonly took?: number;
}

/** How often each dies. A system is started again by the killer, everything else by its supervisor. */
const WEIGHTS = {
  cluster: { policy: 3, execution: 4, snapshot: 3, projection: 2, rollback: 2, broker: 2, system: 1 },
  standalone: { system: 3, broker: 2, 'system+broker': 2 },
} as const;

/** Milliseconds between deaths, at least and at most: a system of one process takes longer to come back. */
const PAUSES = { cluster: [300, 4_000], standalone: [1_500, 8_000] } as const;

/** Kills (SIGKILL) what a system runs, at random moments, until it is stopped. */
export class Killer {
  readonly kills: Kill[] = [];
  private readonly stopped = new AbortController();

  constructor(
    private readonly system: RetraceSystem,
    private readonly random: Random,
  ) {}

  stop(): void {
    this.stopped.abort();
  }

  /** Resolves when it was stopped and the system is up. */
  async run(): Promise<void> {
    const { mode } = this.system;
    for (;;) {
      const [least, most] = PAUSES[mode];
      await sleep(this.random.between(least, most), undefined, { signal: this.stopped.signal }).catch(() => undefined);
      if (this.stopped.signal.aborted) return;
      const victim: Victim = this.random.weighted<string>(WEIGHTS[mode]) as Victim;
      const at = new Date();
      if (!(await this.kill(victim))) continue;
      const took = victim.startsWith('system') ? { took: Date.now() - at.getTime() } : {};
      this.kills.push({ victim, at: at.toISOString(), ...took });
    }
  }

  /** Answers whether there was anything to kill: what died a moment ago may not be up yet. */
  private async kill(victim: Victim): Promise<boolean> {
    if (victim === 'broker') return shoot(this.brokerPid());
    if (victim === 'system' || victim === 'system+broker') return this.killSystem(victim === 'system+broker');
    return shoot(pidOfService(this.system.folder, victim));
  }

  private async killSystem(withBroker: boolean): Promise<boolean> {
    if (withBroker) shoot(this.brokerPid());
    await this.system.end('SIGKILL');
    await this.system.start();
    return true;
  }

  private brokerPid(): number | undefined {
    try {
      return this.system.runtime.nats_pid ?? undefined;
    } catch {
      return undefined;
    }
  }
}

function shoot(pid: number | undefined): boolean {
  if (pid === undefined) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}
