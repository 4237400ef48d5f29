import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BlobHash, WorkspaceBaselined } from '@retrace/contracts';
import { JetStreamEventLog } from '@retrace/event-log';
import { connectBus } from '@retrace/messaging';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually, MODES, pidOfService, RetraceSystem } from '@retrace/testing';

const NAME = 'base';
/** SIGKILL of the process that takes the baseline. Its files are stored 250 at a time: it is about the middle. */
const IN_THE_MIDDLE = 'baseline.between-batches:5';

interface Listed {
  readonly name: string;
  readonly baseline: null | {
    readonly sequence: number;
    readonly manifest_hash: BlobHash;
    readonly files: number;
    readonly bytes: number;
    readonly ignored_rules: readonly string[];
    readonly ignored_entries: number;
    readonly skipped: number;
  };
}

describe.each(MODES)('the baseline of a workspace, in %s', (mode) => {
  let system: RetraceSystem;
  let folder: string;
  afterEach(() => system.dispose(), 60_000);

  const start = async (environment: NodeJS.ProcessEnv = {}): Promise<void> => {
    system = new RetraceSystem(mode);
    folder = join(system.folder, NAME);
    const shot = { RETRACE_FAILPOINT_ONCE: join(system.folder, 'shot') };
    await system.start({ ...shot, ...environment });
  };

  const put = (files: Readonly<Record<string, string>>): void => {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(folder, path, '..'), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
  };

  const numbered = (count: number): Record<string, string> =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`d${i % 10}/f${i}`, `a person wrote ${i}`]));

  const baseline = async (): Promise<Listed['baseline'] | undefined> => {
    const { workspaces } = JSON.parse(await system.must('workspace', 'list', '--json')) as { workspaces: Listed[] };
    return workspaces.find(({ name }) => name === NAME)?.baseline;
  };

  /** Sequences of what the log says, whatever a read model makes of it. */
  const baselinedEvents = async (): Promise<number[]> => {
    const { services } = JSON.parse(readFileSync(join(system.home.nats, 'credentials.json'), 'utf8')) as {
      services: { projection: { user: string; password: string } };
    };
    const bus = await connectBus({ url: system.url, ...services.projection });
    try {
      const found: number[] = [];
      const log = await JetStreamEventLog.open(bus);
      for await (const event of log.read({ filters: [`retrace.event.*.${NAME}.*.workspace.*`] }))
        if (event.type === WorkspaceBaselined.type) found.push(event.sequence);
      return found;
    } finally {
      await bus.close();
    }
  };

  it('holds what nothing leaves out, is waited for, and is told of', async () => {
    await start();
    put({
      ...numbered(300),
      '.gitignore': '*.log\nbuild/\n',
      'd1/.gitignore': '!keep.log\n/secret\n',
      'd1/.retraceignore': 'more\n',
      'x.log': '-',
      'build/out/y': '-',
      'd1/keep.log': '+',
      'd1/other.log': '-',
      'd1/secret': '-',
      'd1/more': '-',
      'd2/secret': '+',
      '.git/config': '-',
      'd3/.git/config': '-',
    });
    execFileSync('mkfifo', [join(folder, 'pipe')]);
    symlinkSync('d1/f1', join(folder, 'link'));
    const told = await system.must('workspace', 'add', folder, '--name', NAME, '--policy', 'team');
    expect(told).toMatch(/^what stood there is on record: 305 files, \d+ bytes$/m);
    expect(await baseline()).toEqual({
      sequence: expect.any(Number),
      manifest_hash: expect.stringMatching(/^[0-9a-f]{64}$/),
      files: 305,
      bytes: expect.any(Number),
      ignored_rules: ['.gitignore', 'd1/.gitignore', 'd1/.retraceignore'],
      ignored_entries: 7,
      skipped: 1,
    });
    const recorded = ['d1/keep.log', 'd2/secret', 'link', 'd1/other.log', 'd1/secret', 'd1/more', 'x.log', 'pipe'];
    const operator = await system.connect('_op-local', NAME);
    const stats = await Promise.all(recorded.map((path) => operator.stat(path)));
    await operator.close();
    expect(stats.map((stat) => stat.recorded !== null)).toEqual([true, true, true, ...Array<boolean>(5).fill(false)]);
  }, 120_000);

  it('is one, whole, when execution was killed in the middle of it, and first overwrites come back', async () => {
    await start({ RETRACE_FAILPOINT: IN_THE_MIDDLE });
    put(numbered(3000));
    const add = ['workspace', 'add', folder, '--name', NAME, '--policy', 'scratch'];
    const killed = mode === 'cluster' ? pidOfService(system.folder, 'execution') : system.pid;
    expect(killed).toEqual(expect.any(Number));
    const adding = system.cli(...add);
    await eventually(() => expect(existsSync(join(system.folder, 'shot'))).toBe(true), 60_000);
    if (mode === 'standalone') await system.ended().then(() => system.start());
    await adding;
    const told = await eventually(() => system.must(...add), 60_000);
    expect(told).toMatch(/^what stood there is on record: 3000 files, \d+ bytes$/m);
    expect(mode === 'cluster' ? pidOfService(system.folder, 'execution') : system.pid).not.toBe(killed);
    const { sequence, files } = (await baseline())!;
    expect({ files, events: await baselinedEvents() }).toEqual({ files: 3000, events: [sequence] });
    await undoesFirstOverwrite(sequence);
  }, 180_000);

  /** Of files that were stored on both sides of the kill. */
  const undoesFirstOverwrite = async (sequence: number): Promise<void> => {
    await system.must('agent', 'add', 'agent-a', '--workspace', NAME);
    const [agent, operator] = await Promise.all(['agent-a', '_op-local'].map((who) => system.connect(who, NAME)));
    const session = await agent!.openSession({ task: 'overwrite' });
    for (const path of ['d9/f2999', 'd0/f0']) {
      const { operations } = await session.write(path, 'an agent wrote this');
      expect(operations[0]!.state_snapshot_before.sequence).toBe(sequence);
    }
    await operator!.undo(await operator!.undoPlan({ by: 'session', session_id: session.id }));
    const texts = ['d9/f2999', 'd0/f0'].map((path) => readFileSync(join(folder, path), 'utf8'));
    expect(texts).toEqual(['a person wrote 2999', 'a person wrote 0']);
    await Promise.all([agent!.close(), operator!.close()]);
  };
});
