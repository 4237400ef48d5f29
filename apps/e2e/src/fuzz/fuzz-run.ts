import { IntentIdSchema, IntentSchema, parseIntentSubject } from '@retrace/contracts';
import { eventually } from '@retrace/testing';
import * as fc from 'fast-check';
import { FuzzBed } from './bed.js';
import { casesOf, type FuzzCase } from './cases.js';
import { LogWatch } from './log-watch.js';
import { send, type Verdict } from './sender.js';

export interface FuzzOptions {
  readonly count: number;
  readonly seed: number;
  /** Cases that failed once: first. */
  readonly kept: readonly FuzzCase[];
  readonly onProgress?: (line: string) => void;
}

export interface Failure {
  readonly why: string;
  readonly case: FuzzCase;
}

export interface FuzzReport {
  readonly sent: number;
  readonly verdicts: Readonly<Record<string, number>>;
  readonly failures: readonly Failure[];
  /** What is wrong with the system as a whole. */
  readonly problems: readonly string[];
  readonly events: number;
  readonly memory: { readonly warm: Memory; readonly end: Memory };
}

type Memory = ReturnType<FuzzBed['memory']>;

const BATCH = 500;
const AT_ONCE = 128;
/** Content that never comes is waited for 30 s, parts of an open operation 60 s, then denied. */
const DECIDED_MS = 100_000;
/** Caches, stores in memory and the collector's slack; a leak of 4 KB a message is over it at 100,000. */
const MEMORY_KIB = 450 * 1024;

/** Sends kept and generated messages to a system of its own and looks whether all of them came to an end, and it to none. */
export async function runFuzz(options: FuzzOptions): Promise<FuzzReport> {
  const bed = new FuzzBed();
  try {
    await bed.open();
    return await new FuzzRun(bed, options).run();
  } finally {
    await bed.close();
  }
}

class FuzzRun {
  private readonly verdicts = new Map<string, number>();
  private readonly failures: Failure[] = [];
  private readonly problems: string[] = [];
  private readonly taken: { readonly sequence: number; readonly case: FuzzCase }[] = [];
  private sent = 0;

  constructor(
    private readonly bed: FuzzBed,
    private readonly options: FuzzOptions,
  ) {}

  async run(): Promise<FuzzReport> {
    const { count, onProgress } = this.options;
    const { pid } = this.bed.system;
    const watch = await LogWatch.start(this.bed.connections.get('_svc-projection')!);
    let warm: Memory | undefined;
    await this.sendAll(this.options.kept);
    for (let batch = 0; this.sent < count + this.options.kept.length; batch += 1) {
      await this.sendAll(this.batch(batch, Math.min(BATCH, count + this.options.kept.length - this.sent)));
      if (this.sent >= count / 10) warm ??= this.bed.memory();
      if (batch % 4 === 0)
        onProgress?.(
          `${Math.round(performance.now() / 1000)} s, ${this.sent} sent, log at ${watch.sequence}, ${JSON.stringify(this.bed.memory())}`,
        );
    }
    await this.waitForDecisions(watch);
    await this.expectQuiet(watch);
    const end = this.bed.memory();
    this.expectAlive(pid, end);
    this.problems.push(...watch.violations.slice(0, 20));
    return {
      sent: this.sent,
      verdicts: Object.fromEntries([...this.verdicts].toSorted(([a], [b]) => (a < b ? -1 : 1))),
      failures: this.failures,
      problems: this.problems,
      events: watch.sequence,
      memory: { warm: warm ?? end, end },
    };
  }

  private batch(number: number, size: number): FuzzCase[] {
    return fc.sample(casesOf(this.bed.words), { seed: this.options.seed + number, numRuns: BATCH }).slice(0, size);
  }

  private async sendAll(cases: readonly FuzzCase[]): Promise<void> {
    const left = cases.toReversed();
    const work = async (): Promise<void> => {
      for (let next = left.pop(); next; next = left.pop()) this.note(next, await this.sendOne(next));
    };
    const probe = this.bed.probe().catch((error: unknown) => {
      this.problems.push(`an honest agent could not work after ${this.sent} messages: ${String(error)}`);
    });
    await Promise.all([...Array.from({ length: AT_ONCE }, work), probe]);
    this.sent += cases.length;
  }

  private sendOne(one: FuzzCase): Promise<Verdict> {
    return send(this.bed.connections.get(one.as)!, one);
  }

  private note(one: FuzzCase, verdict: Verdict): void {
    const name = verdict.kind === 'answered' ? verdict.code : verdict.kind;
    this.verdicts.set(name, (this.verdicts.get(name) ?? 0) + 1);
    if (verdict.kind === 'taken') this.taken.push({ sequence: verdict.sequence, case: one });
    if (verdict.kind === 'silence') this.failures.push({ why: verdict.why, case: one });
    // Whatever was sent, a service that has no answer of its own has met something that it did not foresee.
    if (verdict.kind === 'answered' && verdict.code === 'internal') this.failures.push({ why: 'internal', case: one });
  }

  private async waitForDecisions(watch: LogWatch): Promise<void> {
    const open = () => this.taken.filter(({ sequence, case: one }) => !isEnded(watch, sequence, one));
    await eventually(() => {
      const { length } = open();
      if (length > 0) throw new Error(`${length} intents without an end`);
    }, DECIDED_MS).catch(() => undefined);
    for (const { sequence, case: one } of open()) this.failures.push({ why: `no event ends ${sequence}`, case: one });
  }

  /** Nobody goes on writing when nobody asks. */
  private async expectQuiet(watch: LogWatch): Promise<void> {
    const settled = async (): Promise<void> => {
      const before = await watch.lastSequence();
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      const after = await watch.lastSequence();
      if (before !== after) throw new Error(`the log grows from ${before} to ${after}, and nobody asks for anything`);
    };
    await eventually(settled, 60_000).catch((error: unknown) => this.problems.push(String(error)));
    await this.bed.probe().catch((error: unknown) => this.problems.push(`after all: ${String(error)}`));
  }

  private expectAlive(pid: number, { services, broker }: Memory): void {
    const { system } = this.bed;
    if (system.runtime.pid !== pid) this.problems.push(`the process is ${system.runtime.pid}, it was ${pid}`);
    const lines = system
      .output()
      .split('\n')
      .filter((line) => /unhandled|uncaught|fatal|out of memory|starting it again/i.test(line));
    this.problems.push(...lines.slice(0, 20));
    if (services > MEMORY_KIB) this.problems.push(`the services hold ${services} KiB, at most ${MEMORY_KIB}`);
    if (broker > MEMORY_KIB) this.problems.push(`the broker holds ${broker} KiB, at most ${MEMORY_KIB}`);
  }
}

/**
 * An event says what became of it; or it said nothing new: a withdrawal is answered by the decision of what it withdraws,
 * an intent that was sent twice by the first one's.
 */
function isEnded(watch: LogWatch, sequence: number, { subject, body }: FuzzCase): boolean {
  if (watch.answered.has(sequence)) return true;
  const sender = parseIntentSubject(subject);
  // Its place in the log would be a workspace's; the service's own log has it.
  if (!sender) return true;
  const json = parsed(body);
  if (IntentSchema.safeParse(json).data?.type === 'withdraw') return true;
  const id = IntentIdSchema.safeParse((json as { intent_id?: unknown } | null)?.intent_id);
  return id.success && watch.decided.has(`${sender.workspace} ${sender.principal} ${id.data}`);
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(Buffer.from(body, 'base64').toString());
  } catch {
    return undefined;
  }
}
