import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const ENTRY = fileURLToPath(new URL('./agents/agent.js', import.meta.url));

/** All that an agent is told. */
export interface Assignment {
  readonly url: string;
  readonly credentialsFile: string;
  readonly workspace: string;
  readonly agent: string;
  readonly seed: number;
  readonly shared: readonly string[];
  /** Where it writes down what it asks and what it is told. */
  readonly journal: string;
}

/** One agent as a process of its own, which works until it is stopped and then finishes what it has begun. */
export class AgentProcess {
  private constructor(
    readonly ready: Promise<unknown>,
    /** Rejects where the agent gave up. */
    readonly ended: Promise<void>,
    private readonly tell: (line: string) => void,
    /** Ends it at once, done or not. */
    readonly kill: () => void,
  ) {}

  static start(assignment: Assignment): AgentProcess {
    const child = spawn(process.execPath, [ENTRY], { stdio: ['pipe', 'pipe', 'pipe'] });
    let trouble = '';
    child.stderr.on('data', (chunk: Buffer) => (trouble = (trouble + chunk.toString()).slice(-4000)));
    const ended = endOf(child, () => `agent ${assignment.agent}: ${trouble}`);
    ended.catch(() => undefined);
    const tell = (line: string): void => void child.stdin.write(`${line}\n`);
    child.stdin.on('error', () => undefined);
    tell(JSON.stringify(assignment));
    return new AgentProcess(Promise.race([once(child.stdout, 'data'), ended]), ended, tell, () =>
      child.kill('SIGKILL'),
    );
  }

  stop(): void {
    this.tell('stop');
  }
}

async function endOf(child: ChildProcess, who: () => string): Promise<void> {
  const [status] = (await once(child, 'close')) as [number | null];
  if (status !== 0) throw new Error(`an agent ended with ${status}; ${who()}`);
}
