import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { examplesOf, programOf } from './page-program.js';
import { addWorkspace, type Ended, RetraceSystem } from '@retrace/testing';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const examples = examplesOf(readFileSync(join(root, 'docs/sdk.md'), 'utf8'));

/** Runs a program that finds the packages of this repository, in `folder`. */
async function run(source: string, folder: string): Promise<Ended> {
  const cache = join(root, 'node_modules/.cache');
  mkdirSync(cache, { recursive: true });
  const place = mkdtempSync(join(cache, 'docs-examples-'));
  try {
    writeFileSync(join(place, 'page.mjs'), source);
    // What is printed is compared: no colours, whoever runs this.
    const { FORCE_COLOR: _, ...plain } = process.env;
    const env = { ...plain, NODE_OPTIONS: '', NO_COLOR: '1' };
    const child = spawn(process.execPath, [join(place, 'page.mjs')], { cwd: folder, env });
    const output = { stdout: '', stderr: '' };
    child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number | null];
    return { status, ...output };
  } finally {
    rmSync(place, { recursive: true });
  }
}

describe('docs/sdk.md', () => {
  const system = new RetraceSystem('standalone');
  let ended: Ended;
  let outputs: string[] = [];

  beforeAll(async () => {
    await system.start();
    await addWorkspace(system, 'docs', {}, ['writer']);
    const { source, outputsOf } = programOf(examples);
    ended = await run(source, system.home.credentials);
    outputs = outputsOf(ended.stdout);
  }, 120_000);
  afterAll(() => system.dispose(), 60_000);

  it('shows examples', () => {
    expect(examples.length).toBeGreaterThan(10);
  });

  it.each(examples.map((example, index) => ({ ...example, index })))(
    'prints what it says, at line $line',
    ({ index, output }) => {
      expect(outputs[index]).toBe(output);
    },
  );

  it('ends well', () => {
    expect(ended).toMatchObject({ status: 0, stderr: '' });
  });
});
