import { setTimeout as sleep } from 'node:timers/promises';
import type { Retrace, Session } from '@retrace/client';
import { addWorkspace, RetraceSystem } from '@retrace/testing';
import type { Settings } from '../settings.js';

const POLL_MS = 20;
const MOST_UNANSWERED = 10;

/** A system of its own with one workspace, one agent in a session, and an operator. */
export class RetraceSide {
  private constructor(
    readonly system: RetraceSystem,
    private readonly agent: Retrace,
    readonly operator: Retrace,
    readonly session: Session,
  ) {}

  static async start(
    { mode, durability }: Settings,
    folder: string,
    nodeArguments: readonly string[] = [],
  ): Promise<RetraceSide> {
    const system = new RetraceSystem(mode, folder);
    await system.start({ RETRACE_DURABILITY: durability }, nodeArguments);
    return RetraceSide.on(system).catch(async (error: unknown) => {
      await system.end();
      throw error;
    });
  }

  private static async on(system: RetraceSystem): Promise<RetraceSide> {
    await addWorkspace(system, 'bench', { 'start.md': '# Start\n' }, ['writer']);
    const agent = await system.connect('writer', 'bench');
    const operator = await system.connect('_op-local', 'bench');
    return new RetraceSide(system, agent, operator, await agent.openSession({ task: 'bench' }));
  }

  async write(path: string, content: string): Promise<void> {
    await this.session.write(path, content);
  }

  /** Resolves when the read models hold all that is in the log. Answers its newest sequence. */
  async caughtUp(): Promise<number> {
    for (;;) {
      const { lag, last_sequence } = await this.status();
      if (lag === 0) return last_sequence;
      await sleep(POLL_MS);
    }
  }

  /** Makes the read models anew. Answers how many events that were and how many milliseconds it took. */
  async rebuild(): Promise<{ events: number; ms: number }> {
    const began = performance.now();
    await this.operator.rebuild();
    for (;;) {
      const { rebuild } = await this.status();
      if (rebuild === null || rebuild.status === 'failed') throw new Error(`rebuild: ${rebuild?.message ?? 'lost'}`);
      if (rebuild.status === 'done') return { events: rebuild.sequence, ms: performance.now() - began };
      await sleep(POLL_MS);
    }
  }

  /** A service that replays a long log may miss a question. */
  private async status() {
    for (let unanswered = 1; ; unanswered += 1)
      try {
        return await this.operator.status();
      } catch (error) {
        if (unanswered === MOST_UNANSWERED) throw error;
      }
  }

  /** Ends the system and waits for it, so that it writes what it writes at its end. */
  async close(): Promise<void> {
    await this.agent.close();
    await this.operator.close();
    await this.system.end();
  }
}
