import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { run } from './run.js';
import { fakeIo } from './testing/fake-io.js';
import { SES } from './testing/samples.js';

describe('run, without a system', () => {
  let home: string;
  beforeAll(() => {
    home = mkdtempSync(join(tmpdir(), 'retrace-cli-'));
  });
  afterAll(() => rmSync(home, { recursive: true }));

  const at = async (argv: readonly string[], world: Parameters<typeof fakeIo>[0] = {}) => {
    const io = fakeIo({ ...world, env: { RETRACE_HOME: home, ...world?.env } });
    return { exit: await run(argv, io), out: io.out(), err: io.err() };
  };

  it('shows help with examples and every exit code', async () => {
    const { exit, out } = await at(['--help']);
    expect(exit).toBe(0);
    expect(out).toContain('$ retrace up');
    for (const code of [0, 1, 2, 3, 4, 5, 6]) expect(out).toMatch(new RegExp(`^  ${code}  `, 'm'));
  });

  it.each(['up', 'down', 'status', 'write', 'edit', 'rm', 'mkdir', 'apply', 'log', 'show', 'cat', 'undo'])(
    'shows examples of %s, within the width of the terminal',
    async (command) => {
      const { exit, out } = await at([command, '--help'], { env: { COLUMNS: '60' } });
      expect(exit).toBe(0);
      expect(out).toContain(`$ `);
      expect(out).toContain('--json');
      const [options] = out.split('Examples:');
      expect(Math.max(...options!.split('\n').map((line) => line.length))).toBeLessThanOrEqual(60);
    },
  );

  it.each([
    [['write'], /missing required argument 'path'/],
    [['nothing-like-this'], /unknown command/],
    [['log', '--limit', '0'], /whole number from 1\s+to 1000/],
    [['log', '--as', 'Not A Name'], /--as/],
    [['log', '--session', 'ses_1'], /ses_<uuid>/],
    [['undo', 'docs/a.md'], /names nothing/],
    [['undo', '7'], /give --yes/],
    [['undo', '7', '--json'], /give --yes/],
    [['cat', 'a', '--at', '1', '--op', 'x'], /op_<uuid>/],
    [['edit', 'a', '--old', '', '--new', 'x'], /--old is empty/],
    [['write', 'a', '--content', 'x', '--file', 'y'], /not both/],
    [['write', 'a', '--file', 'not-there'], /not-there/],
    [['write', 'a'], /Give --content TEXT, --file FILE \(-: stdin\), or pipe it\s+in/],
    [['policy', 'publish', '/dev/zero'], /no regular\s+file/],
    [['policy', 'publish', '/dev/null'], /no regular\s+file/],
    [['policy', 'publish', '-'], /- is empty/],
    [['policy', 'explain', 'writer', 'destroy', 'a'], /class/],
    [['session', 'complete'], /which session/],
  ])('refuses %j as it was called', async (argv, why) => {
    const { exit, out, err } = await at(argv);
    expect(exit).toBe(2);
    expect(out).toBe('');
    expect(err).toMatch(why);
    expect(err).toMatch(/next\W+retrace COMMAND --help/);
  });

  it('takes what stdin gives, or what is asked for by name', async () => {
    expect((await at(['write', 'a'], { stdin: '' })).exit).toBe(5);
    expect((await at(['write', 'a', '--file', '-'])).exit).toBe(5);
  });

  it.each([
    ['empty', '\n', /is\s+empty/],
    ['large', 'x'.repeat(256 * 1024 + 1), /larger\s+than\s+256\s+KiB/],
  ])('publishes no policy from a file that is %s', async (name, text, why) => {
    const file = join(home, `${name}.yaml`);
    writeFileSync(file, text);
    for (const [source, world] of [
      [file, {}],
      ['-', { stdin: text }],
    ] as const) {
      const { exit, err } = await at(['policy', 'publish', source], world);
      expect(exit).toBe(2);
      expect(err).toMatch(why);
    }
  });

  it('refuses a group without a command, and shows what there is', async () => {
    const { exit, err } = await at(['session']);
    expect(exit).toBe(2);
    expect(err).toContain('complete');
  });

  it('looks for what is wrong without a system, and says what to do', async () => {
    const { exit, out } = await at(['doctor']);
    expect(exit).toBe(5);
    expect(out).toMatch(/^failed +bus +bus: no system runs on/m);
    expect(out).toContain('→ retrace up');
    const nowhere = await at(['doctor', '--home', join(home, 'nothing')]);
    expect(nowhere.exit).toBe(5);
    expect(nowhere.out).toMatch(/^failed +path +home: .*is no folder/m);
  });

  it('says how to start a system that is not there', async () => {
    const { exit, err } = await at(['log']);
    expect(exit).toBe(5);
    expect(err).toContain('next   start it: retrace up');
  });

  it.each([
    ['before', ['--json', 'log']],
    ['after', ['log', '--json']],
  ])('takes global options %s the command', async (_, argv) => {
    const { exit, out, err } = await at(argv);
    expect(exit).toBe(5);
    expect(out).toBe('');
    expect(JSON.parse(err)).toMatchObject({ error: { code: 'not_running', exit: 5, next: 'start it: retrace up' } });
  });

  it('takes a text that looks like an option for a text', async () => {
    const { exit } = await at(['edit', 'a', '--old', '--json', '--new=--as']);
    expect(exit).toBe(5);
  });

  it('tells of a wrong RETRACE_SESSION instead of passing it by', async () => {
    const { exit, err } = await at(['session', 'complete'], { env: { RETRACE_SESSION: 'mine' } });
    expect(exit).toBe(2);
    expect(err).toContain('RETRACE_SESSION=mine');
  });

  it('stops nothing where nothing runs, even if an old file says so', async () => {
    expect((await at(['down'])).exit).toBe(4);
    const old = { url: 'nats://127.0.0.1:1', pid: process.pid, nats_pid: null, mode: 'standalone' };
    writeFileSync(join(home, 'runtime.json'), JSON.stringify({ ...old, started_at: 'then', version: '0' }));
    // The pid is this process, which is no system: it must survive.
    const { exit, out } = await at(['down']);
    expect(exit).toBe(4);
    expect(out).toContain('nothing runs');
    expect((await at(['session', 'complete', SES])).err).toContain('no system runs');
  });
});
