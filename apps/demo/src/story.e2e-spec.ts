import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import { generateTree } from './testing/generated-tree.js';

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

const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));

function playOnTemporary(fill: (folder: string) => void, args: string[]) {
  const folder = mkdtempSync(join(tmpdir(), 'retrace-demo-source-'));
  try {
    fill(folder);
    return play(...args, folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

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

  it.each([[[]], [['--cluster']]])(
    'tells it on an empty folder %j',
    (args: string[]) => {
      const { status, stderr } = playOnTemporary(() => undefined, args);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
    180_000,
  );

  it.each([[[]], [['--cluster']]])(
    'tells it on 5,000 files with repositories among them %j',
    (args: string[]) => {
      const { status, stderr } = playOnTemporary((folder) => generateTree(folder, 5_000), args);
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    },
    300_000,
  );

  it('tells it on the repository of this project', () => {
    const { status, stderr } = play(PROJECT);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  }, 300_000);

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
