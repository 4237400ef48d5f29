import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addWorkspace, type Mode, pidOfService, RetraceSystem } from '@retrace/testing';
import { Actors } from './actors.js';
import type { Errand } from './errand.js';
import { FailpointFolder, type Place } from './failpoint-folder.js';
import { layOut, type Step } from './scenario.js';

export const SERVICES = ['policy', 'execution', 'snapshot', 'projection', 'rollback'] as const;
/** How long somebody hopes that a call that was under way at a death is answered after all. */
const PATIENCE_MS = 1_000;
const DEADLINE_MS = 60_000;

/** A system whose processes die at failpoints and are there again: by its supervisor, or started by hand. */
export class TriedSystem {
  readonly system: RetraceSystem;
  readonly failpoints: FailpointFolder;
  folder = '';
  private starts = 0;
  private ending = false;
  private watching: Promise<void> | undefined;

  constructor(
    readonly mode: Mode,
    readonly workspace: string,
  ) {
    this.system = new RetraceSystem(mode);
    this.failpoints = new FailpointFolder(join(this.system.folder, 'failpoints'));
  }

  /** With a folder per step, all of them on record. */
  async start(folders: readonly string[]): Promise<void> {
    const root = join(this.system.folder, this.workspace);
    for (const folder of folders) layOut(root, folder);
    await this.system.start(this.failpoints.environment);
    this.folder = await addWorkspace(this.system, this.workspace, {}, ['agent-a']);
    if (this.mode === 'standalone') this.watching = this.startAgain();
  }

  /** What dies in a cluster is a service; else it is everything. */
  place(name: string, service: string | undefined, time: number): Place {
    if (service === undefined) return { name, time };
    return { name, time, pid: this.pidOf(service) };
  }

  pidOf(service: string): number {
    const pid = pidOfService(this.system.folder, service);
    if (pid === undefined) throw new Error(`${service} does not run`);
    return pid;
  }

  /** Carries a step out as an agent would that knows of deaths: by the same ids, until it is answered. */
  async carryOut(step: Step, errand: Errand): Promise<void> {
    for (const deadline = performance.now() + DEADLINE_MS; ; await sleep(50)) {
      let actors: Actors | undefined;
      const answered = new AbortController();
      try {
        actors = await Actors.connect(this.system, this.workspace);
        errand.begin(actors);
        return await Promise.race([step(errand), this.impatience(answered.signal)]);
      } catch (error) {
        if (!passes(error) || performance.now() > deadline) throw error;
      } finally {
        answered.abort();
        await actors?.close();
      }
    }
  }

  async end(): Promise<void> {
    this.ending = true;
    this.failpoints.disarm();
    await this.system.end();
    await this.watching;
  }

  /** Rejects some time after a death, or once nobody waits any more. */
  private async impatience(answered: AbortSignal): Promise<never> {
    const { starts } = this;
    const deaths = this.failpoints.deaths();
    const nothingNew = (): boolean =>
      this.mode === 'standalone' ? this.starts === starts : this.failpoints.deaths() === deaths;
    while (nothingNew() && !answered.aborted) await sleep(50);
    if (this.mode === 'cluster' && !answered.aborted) await sleep(PATIENCE_MS);
    throw new Error(PASSES);
  }

  /** The whole system died, its broker with it. */
  private async startAgain(): Promise<void> {
    for (;;) {
      const { nats_pid } = this.system.runtime;
      await this.system.ended();
      if (this.ending) return;
      killed(nats_pid!);
      await this.system.start(this.failpoints.environment);
      this.starts += 1;
    }
  }
}

const PASSES = 'somebody died meanwhile';
const PASSING = new Set<unknown>([
  'unavailable',
  'timeout',
  'not_ready',
  'busy',
  PASSES,
  'OutcomeUnknown',
  'IntentNotSent',
]);

const passes = (error: unknown): boolean => {
  const { code, name, message } = error as { code?: unknown; name?: unknown; message?: unknown };
  return PASSING.has(code) || PASSING.has(name) || PASSING.has(message);
};

function killed(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It went with its parent.
  }
}
