import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));

/** The demo itself, as `npm run demo` runs it. */
const play = (...args: string[]) => playIn({}, ...args);
const playIn = (env: NodeJS.ProcessEnv, ...args: string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [MAIN, ...args], {
    encoding: 'utf8',
    env: { ...process.env, NODE_OPTIONS: '', ...env },
  });
  return { status, stdout, stderr };
};

describe('the demo', () => {
  it.each([[[]], [['--cluster']]])(
    'tells its story on the notes app %j',
    (args: string[]) => {
      const { status, stdout, stderr } = play(...args);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
      expect(stdout).toContain('All of it is true.');
    },
    180_000,
  );

  it('tells it on an empty folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'retrace-empty-'));
    const { status, stderr } = play(folder);
    rmSync(folder, { recursive: true });
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }, 180_000);

  it.each([[[]], [['--cluster']]])(
    'says why the system does not come up, not that nothing can be taken down %j',
    (args: string[]) => {
      const { status, stderr } = playIn({ NATS_SERVER_BIN: '/nonexistent' }, ...args);
      expect(status).toBe(1);
      expect(stderr).toContain('step "the system comes up"');
      expect(stderr).toContain('nats-server');
      expect(stderr).not.toContain('the system goes down');
    },
    60_000,
  );

  it('says what it takes when it gets something else', () => {
    const { status, stderr } = play('/no/such/folder');
    expect({ status, stderr }).toMatchObject({ status: 1, stderr: expect.stringContaining('is no folder') });
  });
});
