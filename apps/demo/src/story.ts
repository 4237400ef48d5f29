import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AgentName } from './agents/jobs.js';
import { RetraceCli, runAgent } from './retrace-cli.js';
import { shortId } from './short-id.js';
import { busUrl, credentialsOf, type Stage } from './stage.js';
import { treeDifference, treeHash } from './tree-hash.js';

export interface Narrator {
  /** A step that held; `detail` is one line. */
  step(title: string, detail: string): void;
  /** Output of the system, as a person sees it. */
  show(text: string): void;
}

/** How the system is brought up and down: the whole of it in one process, or a process per service. */
export interface Launcher {
  up(home: string): Promise<void>;
  down(home: string): Promise<void>;
}

const WORKSPACE = 'notes';
const AGENTS: readonly AgentName[] = ['researcher', 'writer', 'reviewer'];

interface LogEntry {
  readonly logical_operation_id: string | null;
  readonly status: string;
  readonly agent: string;
  readonly session_id: string | null;
  readonly task: string | null;
  readonly tool: string | null;
  readonly reason: string | null;
  readonly rule: string | null;
  readonly undone_by: string | null;
  readonly operations: { operation_id: string | null; action: string; path: string }[];
}

/** The main job on real files. Throws at the first thing that is not true, named by its step. */
export class Story {
  private readonly cli: RetraceCli;
  private readonly sessions = new Map<AgentName, string>();

  constructor(
    private readonly stage: Stage,
    private readonly launcher: Launcher,
    private readonly narrator: Narrator,
  ) {
    this.cli = new RetraceCli(stage.home, WORKSPACE);
  }

  /** `signal` ends it at the next step; the system is taken down in any case. */
  async tell(signal?: AbortSignal): Promise<void> {
    const { stage } = this;
    const { shadow } = stage;
    const steps: [string, () => Promise<void>][] = [
      ['the system comes up', () => this.launcher.up(stage.home)],
      ['a folder becomes a workspace, with three agents', () => this.register()],
      ['the researcher works', () => this.act('researcher', () => shadow.research())],
      ['the writer works', () => this.act('writer', () => shadow.write())],
      ['the reviewer works', () => this.act('reviewer', () => shadow.review())],
      ['an agent leaves its scope', () => this.trespass()],
      ['the log is read', () => this.readLog()],
      ["the writer's session is undone", () => this.undoWriter()],
    ];
    const failure = await failureOf(async () => {
      for (const [name, run] of steps) {
        signal?.throwIfAborted();
        await named(name, async () => {
          await run();
          this.matchTree(name);
        });
      }
    });
    const downFailure = await failureOf(() => named('the system goes down', () => this.launcher.down(stage.home)));
    // What went wrong first says why; the rest may only follow from it.
    if (failure && downFailure) throw new Error(`${failure.message}\n${downFailure.message}`, { cause: failure });
    const first = failure ?? downFailure;
    if (first) throw first;
    await named('nothing is left', () => this.leftNothing());
  }

  private async register(): Promise<void> {
    const { workspace, policyFile } = this.stage;
    await this.cli.text('workspace', 'add', workspace, '--name', WORKSPACE, '--policy', policyFile);
    for (const agent of AGENTS) await this.cli.text('agent', 'add', agent, '--workspace', WORKSPACE);
    this.expectTree('the system is up: workspace, policy, three agents with credentials of their own');
  }

  private async act(agent: AgentName, expected: () => void): Promise<void> {
    const [answer] = await runAgent(this.assignment(agent));
    this.sessions.set(agent, String(answer!['session']));
    expected();
    this.expectTree(`${agent} did its work in ${shortId(String(answer!['session']))}`);
  }

  private async trespass(): Promise<void> {
    const { targets } = this.stage;
    const path = targets.overwrite[0] ?? 'elsewhere.md';
    const answers = await runAgent({ ...this.assignment('researcher'), trespass: path });
    const denied = answers.find((answer) => 'denied' in answer)?.['denied'] as
      { rule: string; message: string } | undefined;
    if (denied?.rule !== 'others-keep-out')
      throw new Error(`${path}: denied by ${denied?.rule}, not by others-keep-out`);
    this.expectTree(`researcher is denied ${path} by rule ${denied.rule}`);
    this.narrator.show(denied.message);
  }

  private async readLog(): Promise<void> {
    const { entries } = await this.cli.json<{ entries: LogEntry[] }>('log');
    for (const agent of AGENTS)
      this.expectEntries(
        agent,
        entries.filter((entry) => entry.agent === agent && entry.status === 'applied'),
      );
    if (!entries.some((entry) => entry.status === 'denied' && entry.rule === 'others-keep-out'))
      throw new Error('the log does not hold the denial');
    this.narrator.step(
      'the log says who, what, why, in which session and logical operation',
      `${entries.length} entries`,
    );
    this.narrator.show(await this.cli.text('log'));
    const last = entries.findLast((entry) => entry.agent === 'writer')!;
    await this.showOperation(last.operations.at(-1)!.operation_id!);
  }

  private expectEntries(agent: AgentName, entries: readonly LogEntry[]): void {
    if (entries.length === 0) throw new Error(`the log holds nothing of ${agent}`);
    for (const entry of entries) {
      const { session_id, task, reason, tool, logical_operation_id, operations } = entry;
      if (
        session_id !== this.sessions.get(agent) ||
        !task ||
        !reason ||
        !tool ||
        !logical_operation_id ||
        operations.length === 0
      )
        throw new Error(`an entry of ${agent} does not say all: ${JSON.stringify(entry)}`);
    }
  }

  private async showOperation(id: string): Promise<void> {
    const shown = await this.cli.json<{ operations: Record<string, unknown>[] }>('show', id);
    const record = shown.operations[0] ?? {};
    const missing = RECORD_FIELDS.filter((field) => !(field in record));
    if (missing.length > 0) throw new Error(`retrace show ${id} lacks ${missing.join(', ')}`);
    this.narrator.step('an operation shows its whole record', `${RECORD_FIELDS.length} fields`);
  }

  private async undoWriter(): Promise<void> {
    const session = this.sessions.get('writer')!;
    this.narrator.show(await this.cli.text('undo', session, '--yes', '--reason', 'the guide comes later'));
    this.stage.shadow.takeBackWriting(this.stage.original);
    this.expectTree("the writer's session is undone, everybody else's work stays");
    const { entries } = await this.cli.json<{ entries: LogEntry[] }>('log', '--session', session);
    const left = entries.filter((entry) => entry.status === 'applied' && entry.undone_by === null);
    if (left.length > 0) throw new Error(`the log shows ${left.length} entries of the writer as not undone`);
  }

  private expectTree(title: string): void {
    this.narrator.step(title, `tree ${this.matchTree(title)} as expected`);
  }

  /** Answers the start of the tree's hash. Throws, with what differs, where the tree is not as it should be. */
  private matchTree(title: string): string {
    const { workspace, shadow } = this.stage;
    const [expected, found] = [treeHash(shadow.folder), treeHash(workspace)];
    if (expected !== found)
      throw new Error(
        `${title}: tree ${found.slice(0, 16)}, expected ${expected.slice(0, 16)}\n${treeDifference(shadow.folder, workspace)}`,
      );
    return found.slice(0, 16);
  }

  private leftNothing(): Promise<void> {
    const { home } = this.stage;
    if (existsSync(join(home, 'runtime.json'))) throw new Error('the system says that it still runs');
    const strangers = processesNaming(home);
    if (strangers.length > 0) throw new Error(`processes are left: ${strangers.join(', ')}`);
    const tree = this.matchTree('the system is down');
    this.narrator.step('the system is down', `no process is left, tree ${tree} as expected`);
    return Promise.resolve();
  }

  private assignment(agent: AgentName) {
    const { home, targets } = this.stage;
    return { url: busUrl(home), credentials: credentialsOf(home, agent), workspace: WORKSPACE, targets };
  }
}

/** What `run` rejects with; `undefined` where it does not. */
const failureOf = (run: () => Promise<void>): Promise<Error | undefined> =>
  run().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );

/** Runs a step; what goes wrong in it says which one it was. */
async function named(step: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    throw new Error(`step "${step}": ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}

const RECORD_FIELDS = [
  'operation_id',
  'logical_operation_id',
  'session_id',
  'agent_id',
  'tool',
  'model',
  'action',
  'path',
  'parameters',
  'provenance',
  'trace_id',
  'rollback_instruction',
  'state_snapshot_before',
  'state_snapshot_after',
  'decision',
  'duration_ms',
  'undo_coverage',
];

/** Processes whose command line or environment names the demo's folder. */
function processesNaming(folder: string): string[] {
  const found: string[] = [];
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)) {
    try {
      const text = readFileSync(`/proc/${pid}/cmdline`, 'utf8') + readFileSync(`/proc/${pid}/environ`, 'utf8');
      if (text.includes(folder))
        found.push(`${pid} ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`);
    } catch {
      // It ended meanwhile, or is somebody else's.
    }
  }
  return found;
}
