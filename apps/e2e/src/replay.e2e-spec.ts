import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bed, MODES, RetraceSystem } from '@retrace/testing';

const run = promisify(execFile);
const REPLAY = fileURLToPath(new URL('../../../tools/replay.mjs', import.meta.url));

describe.each(MODES)('npm run replay, beside %s', (mode) => {
  const system = new RetraceSystem(mode);
  let bed: Bed;

  beforeAll(async () => {
    await system.start();
    bed = await Bed.make(system, 'books', { a: '0', 'd/b': '1' });
  }, 120_000);
  afterAll(() => system.dispose(), 60_000);

  const replay = async (...args: string[]): Promise<string> => {
    const env = { ...process.env, NODE_OPTIONS: '', RETRACE_HOME: system.home.folder };
    return (await run(process.execPath, [REPLAY, ...args], { env })).stdout.trim();
  };

  it('comes to the rows that the system itself has in its file', async () => {
    const session = await bed.a.openSession({ task: 'books' });
    for (let i = 0; i < 10; i += 1) await session.write('a', String(i));
    await session.move('d', 'e');
    await session.apply(Array.from({ length: 1500 }, (_, n) => ({ create: `many-${n}`, content: String(n) })));
    await expect(session.write('.git/config', 'x')).rejects.toMatchObject({ code: 'protected_path' });
    await bed.undo({ by: 'step', session_id: session.id, step: 11 });
    const opened = await session.begin();
    await opened.write('a', 'draft');
    await opened.abort();
    await bed.operator.catchUp();
    const { last_sequence } = await bed.operator.status();
    await bed.close();

    const [sequence, hash] = (await replay(join(system.folder, 'replayed.sqlite'))).split('\n');
    expect(sequence).toBe(`sequence ${last_sequence}`);
    await expect(replay(join(system.folder, 'replayed.sqlite'))).rejects.toThrow('is there already');
    await system.end();
    const own = join(system.home.data, 'projection', 'read-models.sqlite');
    expect(await replay('--hash', own)).toBe(hash);
    expect(hash).toMatch(/^[0-9a-f]{64}$/);
    await expect(replay(join(system.folder, 'other.sqlite'))).rejects.toThrow('no system runs');
  }, 120_000);
});
