import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { MODES } from '@retrace/testing';
import { judge } from './checker.js';
import { doctored, DOCTORINGS } from './testing/doctored.js';

jest.setTimeout(300_000);

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const MINUTES = '0.7';

/** Runs chaos as its users do. */
async function chaos(...args: string[]): Promise<{ status: number | null; output: string }> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const [status] = (await once(child, 'close')) as [number | null];
  return { status, output };
}

const figure = (output: string, name: string): number => Number(new RegExp(`^${name} +(\\d+)`, 'm').exec(output)?.[1]);

describe.each(MODES)('random kills under load, %s', (mode) => {
  let folder: string;
  let run: Awaited<ReturnType<typeof chaos>>;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-chaos-spec-'));
    run = await chaos('--minutes', MINUTES, '--mode', mode, '--seed', '4', '--folder', folder, '--keep');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('lose, double and reorder nothing that was acknowledged', () => {
    expect(run.output).toContain('lost 0, doubled 0, out of order 0, other 0');
    expect(run.status).toBe(0);
  });

  it('had something to kill and something to judge', () => {
    expect(figure(run.output, 'kills')).toBeGreaterThan(3);
    expect(figure(run.output, 'applied')).toBeGreaterThan(50);
  });

  // The evidence looks the same in both modes.
  if (mode !== MODES[0]) return;

  it.each(DOCTORINGS)('would have been found: $name', async ({ doctor, finding }) => {
    const evidence = doctored(join(folder, 'evidence'), doctor);
    try {
      const { status, output } = await judge(evidence);
      expect(output).toMatch(finding);
      expect(status).toBe(1);
    } finally {
      rmSync(evidence, { recursive: true });
    }
  });
});
