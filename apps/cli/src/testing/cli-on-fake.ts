import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FakeSystem } from '@retrace/client/testing';
import { QueryLog, QueryStatus, QueryWorkspaces } from '@retrace/contracts';
import { run } from '../run.js';
import { fakeIo } from './fake-io.js';
import { logRow } from './samples.js';

type World = Parameters<typeof fakeIo>[0];

/** The command line on a system on which the spec is the services. */
export class CliOnFake {
  /** Calls that were answered since the last {@link CliOnFake.reset}. */
  asked: { readonly call: string; readonly workspace: string; readonly request: unknown }[] = [];

  private constructor(
    readonly system: FakeSystem,
    readonly folder: string,
  ) {}

  static async start(agents: readonly string[] = ['writer']): Promise<CliOnFake> {
    const system = await FakeSystem.start(agents);
    await system.announce();
    return new CliOnFake(system, await mkdtemp(join(tmpdir(), 'retrace-cwd-')));
  }

  async stop(): Promise<void> {
    await this.system.stop();
    await rm(this.folder, { recursive: true });
  }

  /** Everything works, on one workspace. */
  reset(): void {
    this.asked = [];
    this.system.intents.length = 0;
    this.system.blobs.clear();
    this.system.onIntent = (one) => this.system.succeed(one);
    this.answer(QueryStatus, () => ({ sequence: 9, last_sequence: 9, lag: 0, rejected: 0, rebuild: null }));
    this.answer(QueryWorkspaces, () => ({ workspaces: [NOTES] }));
    this.answer(QueryLog, () => ({ entries: [logRow()], cursor: 1042, more: false }));
  }

  answer(call: Parameters<FakeSystem['answer']>[0], reply: (request: never) => unknown): void {
    this.system.answer(call, (request, workspace) => {
      this.asked.push({ call: `${call.service}.${call.verb}`, workspace, request });
      return reply(request as never);
    });
  }

  requestsOf(call: string): unknown[] {
    return this.asked.filter((one) => one.call === call).map(({ request }) => request);
  }

  intents() {
    return this.system.intents.map(({ intent }) => intent);
  }

  async retrace(argv: readonly string[], world: World = {}): Promise<{ exit: number; out: string; err: string }> {
    const io = fakeIo({ cwd: this.folder, ...world, env: { RETRACE_HOME: this.system.home.folder, ...world?.env } });
    return { exit: await run(argv, io), out: io.out(), err: io.err() };
  }

  async json(argv: readonly string[], world: World = {}): Promise<Record<string, unknown> & { exit: number }> {
    const { exit, out, err } = await this.retrace([...argv, '--json'], world);
    return { exit, ...(JSON.parse(out || err) as Record<string, unknown>) };
  }
}

export const NOTES = {
  name: 'notes',
  root: '/srv/notes',
  policy: 'team',
  policy_version: 1,
  members: [],
  logical_operations: 0,
  baseline: null,
};
