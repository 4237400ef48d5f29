import { describe, expect, it } from '@jest/globals';
import { CATALOGUE } from './catalogue.js';
import { run } from './run.js';
import { fakeIo } from './testing/fake-io.js';

const helpOf = async (width: number, ...command: string[]): Promise<string> => {
  const io = fakeIo({ env: { COLUMNS: String(width), RETRACE_HOME: '/nowhere' } });
  expect(await run([...command, '--help'], io)).toBe(0);
  return io.out();
};
const NAMES = Object.values(CATALOGUE).flatMap((commands) => commands.map(({ name }) => name));
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  workspace: ['add', 'list'],
  agent: ['add', 'list'],
  policy: ['show', 'publish', 'explain'],
  session: ['open', 'complete', 'list'],
};
const COMMANDS = NAMES.flatMap((name) => GROUPS[name]?.map((sub) => [name, sub]) ?? [[name]]);

describe('help', () => {
  it.each([60, 80, 120])('of all commands and of one, at %i columns', async (width) => {
    expect(await helpOf(width)).toMatchSnapshot('overview');
    expect(await helpOf(width, 'undo')).toMatchSnapshot('undo');
  });

  it.each(COMMANDS)(
    'of %s %s says what it is for, with examples that name it, within a narrow terminal',
    async (...words) => {
      const help = await helpOf(60, ...words);
      const [options = '', examples = ''] = help.split('Examples:');
      expect(options.split('\n')[2]).toMatch(/^[a-z]/);
      expect(options).toContain('--json');
      expect(examples).toContain(`retrace ${words.join(' ')}`);
      const lines = help.split('\n').filter((line) => !/^( +[${]|Usage:)/.test(line));
      expect(lines.filter((line) => line.length > 60 && !FORM.test(line))).toEqual([]);
    },
  );
});

/** The form of a document is shown as it is written. */
const FORM = /^ {2}\{"|^The file is a JSON list|^Each may say what is expected/;
