import type { Retrace, RetraceSystem, Session } from '@retrace/client';
import { RetraceError, type SessionId, SessionIdSchema } from '@retrace/contracts';
import { type CheckedGlobals, checkGlobals } from './checked-globals.js';
import type { CliIo } from './cli-io.js';
import type { Globals } from './globals.js';
import { type Home, homeAt, LOCAL_OPERATOR } from './home/home.js';
import { explainSilence, runningSystem } from './home/runtime-file.js';
import { Progress } from './progress.js';
import { type Screen, screenOf } from './render/style.js';
import { UsageError } from './usage-error.js';

/** One run of a command: what it was told, and the connections that it opens on the way. */
export class Invocation {
  readonly home: Home;
  readonly screen: Screen;
  readonly globals: CheckedGlobals;
  readonly progress: Progress;
  private opened: Promise<RetraceSystem> | undefined;

  constructor(
    readonly io: CliIo,
    globals: Globals,
    /** Such as `write`. */
    readonly command: string,
  ) {
    this.home = homeAt(globals.home, io.env, io.cwd);
    this.screen = screenOf(io);
    this.globals = checkGlobals(globals);
    this.progress = new Progress(io, `retrace ${command}: working`);
  }

  get principal(): string {
    return this.globals.as ?? LOCAL_OPERATOR;
  }

  /** `--session`, else RETRACE_SESSION. */
  get sessionId(): SessionId | undefined {
    return this.globals.session ?? this.sessionFromEnvironment();
  }

  /** The running system, connected as the principal. */
  system(): Promise<RetraceSystem> {
    return (this.opened ??= this.connect());
  }

  /** The workspace that is meant. Throws {@link UsageError} where that is not clear. */
  async retrace(): Promise<Retrace> {
    const system = await this.system();
    return system.workspace(this.namedWorkspace() ?? (await onlyWorkspace(system)));
  }

  /** The workspace, with everything that is in the log now to be seen. */
  async upToDate(): Promise<Retrace> {
    const system = await this.system();
    const name = this.namedWorkspace();
    if (name !== undefined) await mustExist(system, name);
    const retrace = await this.retrace();
    await retrace.catchUp();
    return retrace;
  }

  /** Works in the session that is meant; without one, in a session for this command alone, completed at the end. */
  async inSession<T>(work: (session: Session, retrace: Retrace) => Promise<T>): Promise<T> {
    const retrace = await this.retrace();
    if (this.sessionId !== undefined) return work(retrace.session(this.sessionId), retrace);
    const session = await retrace.openSession({ task: `retrace ${this.command}` });
    try {
      return await work(session, retrace);
    } finally {
      // What the work said counts more than whether its session could be closed.
      await session.complete().catch(() => undefined);
    }
  }

  namedWorkspace(): string | undefined {
    return this.globals.workspace ?? (this.io.env.RETRACE_WORKSPACE || undefined);
  }

  /** Prints the answer: for people, or as the one JSON document. */
  print(text: (screen: Screen) => string, json: unknown): void {
    this.write(this.globals.json ? `${JSON.stringify(json, null, 2)}\n` : `${text(this.screen)}\n`);
  }

  /** Output of another form than {@link print} has. */
  write(output: string | Uint8Array): void {
    this.progress.stop();
    this.io.write(output);
  }

  /** Says something that is not the answer. */
  tell(text: string): void {
    this.progress.stop();
    this.io.writeError(`${text}\n`);
  }

  confirm(question: string): Promise<boolean> {
    this.progress.stop();
    return this.io.confirm(question);
  }

  async close(): Promise<void> {
    this.progress.stop();
    await (await this.opened?.catch(() => undefined))?.close();
  }

  private async connect(): Promise<RetraceSystem> {
    const runtime = await runningSystem(this.home);
    const { connectSystem } = await import('@retrace/client');
    const credentialsFile = this.home.credentialFile(this.principal);
    const options = { url: runtime.url, credentialsFile, name: `retrace/cli ${this.command}` };
    return connectSystem(options).catch((error: unknown) => explainSilence(this.home, runtime, error));
  }

  private sessionFromEnvironment(): SessionId | undefined {
    const text = this.io.env.RETRACE_SESSION;
    if (!text) return undefined;
    const parsed = SessionIdSchema.safeParse(text);
    if (!parsed.success)
      throw new UsageError(`RETRACE_SESSION=${text} is ${parsed.error.issues[0]?.message}, not that`);
    return parsed.data;
  }
}

/** To a query a workspace that nobody added is one in which nothing was done: a typo would go unseen. */
async function mustExist(system: RetraceSystem, name: string): Promise<void> {
  const known = (await system.workspaces()).workspaces.map((one) => one.name);
  if ((known as string[]).includes(name)) return;
  const seen = known.length === 0 ? 'none' : known.join(', ');
  throw new RetraceError(
    'unknown_workspace',
    `there is no workspace ${name} that ${system.principal} may see, but: ${seen}`,
  );
}

async function onlyWorkspace(system: RetraceSystem): Promise<string> {
  const { workspaces } = await system.workspaces();
  const [first, ...others] = workspaces;
  if (!first) throw new UsageError('there is no workspace yet. Add one: retrace workspace add DIR');
  if (others.length === 0) return first.name;
  const names = workspaces.map(({ name }) => name).join(', ');
  throw new UsageError(`which workspace: ${names}? Give --workspace NAME, or set RETRACE_WORKSPACE`);
}
