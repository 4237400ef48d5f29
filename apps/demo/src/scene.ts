import { JOBS, type JobName } from './agents/jobs/index.js';
import type { Launcher, Service } from './launchers.js';
import { RetraceCli } from './retrace-cli.js';
import { type AgentLine, runAgent } from './run-agent.js';
import { shortId } from './short-id.js';
import { busUrl, credentialsOf, type Stage } from './stage.js';
import { treeDifference, treeHash } from './tree-hash.js';

export interface Narrator {
  /** A step that held; `detail` is one line. */
  step(title: string, detail: string): void;
  /** Output of the system, as a person sees it. */
  show(text: string): void;
}

export const WORKSPACE = 'notes';

/** What the chapters share: the system, the two trees, and who has worked so far. */
export class Scene {
  readonly cli: RetraceCli;
  private readonly sessions = new Map<JobName, string>();

  constructor(
    readonly stage: Stage,
    readonly launcher: Launcher,
    readonly narrator: Narrator,
  ) {
    this.cli = new RetraceCli(stage.home, WORKSPACE);
  }

  /** The session in which a job was done. */
  sessionOf(job: JobName): string {
    const session = this.sessions.get(job);
    if (session === undefined) throw new Error(`nobody has done ${job} yet`);
    return session;
  }

  /** Lets an agent do its job. With `kill`, that service dies when the job is half done. */
  async work(job: JobName, { kill }: { kill?: Service } = {}): Promise<AgentLine[]> {
    const { home, targets } = this.stage;
    const { agent } = JOBS[job];
    const assignment = {
      url: busUrl(home),
      credentials: credentialsOf(home, agent),
      workspace: WORKSPACE,
      targets,
      job,
    };
    let death: Promise<void> | undefined;
    const onHalfway =
      kill === undefined
        ? undefined
        : () => {
            death = this.kill(kill, `while ${agent} worked`);
          };
    const lines = await runAgent(assignment, onHalfway);
    await death;
    this.sessions.set(job, String(lines.find((line) => 'session' in line)!['session']));
    return lines;
  }

  /** Kills a service and says so, where it does not die with another. */
  async kill(service: Service, when: string): Promise<void> {
    const dead = await this.launcher.kill(this.stage.home, service);
    if (dead !== undefined) this.narrator.step(`${dead} was killed ${when}`, 'it comes back and goes on');
  }

  shortSession(job: JobName): string {
    return shortId(this.sessionOf(job));
  }

  /** Says what held, once the workspace is the tree that plain file calls made. */
  expectTree(title: string): void {
    this.narrator.step(title, `tree ${this.matchTree(title)} as expected`);
  }

  /** Answers the start of the tree's hash. Throws, with what differs, where the tree is not as it should be. */
  matchTree(title: string): string {
    const { workspace, shadow } = this.stage;
    const [expected, found] = [treeHash(shadow.folder), treeHash(workspace)];
    if (expected !== found)
      throw new Error(
        `${title}: tree ${found.slice(0, 16)}, expected ${expected.slice(0, 16)}\n${treeDifference(shadow.folder, workspace)}`,
      );
    return found.slice(0, 16);
  }
}
