import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';

const built = fileURLToPath(new URL('../dist/index.js', import.meta.url));

/** Every module that a process which imports the client loads, CommonJS ones too. */
const PROGRAM = `
  import { createRequire, Module, register } from 'node:module';
  const loaded = [];
  const load = Module._load;
  Module._load = function (name, ...rest) { loaded.push(name); return load.call(this, name, ...rest); };
  const hooks = 'export async function resolve(name, context, next) { const found = await next(name, context); console.log(found.url); return found; }';
  register('data:text/javascript,' + encodeURIComponent(hooks));
  await import(process.argv[1]);
  console.log(loaded.join('\\n'));
  console.log(Object.keys(createRequire(process.argv[1]).cache).join('\\n'));
`;

describe('the client as a program loads it', () => {
  it('brings the framework of the services along in no way', () => {
    if (!existsSync(built)) throw new Error('it is not built: npm run build');
    const args = ['--no-warnings', '--input-type=module', '-e', PROGRAM, built];
    const loaded = execFileSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    expect(loaded).toMatch(/messaging\/dist\/client\.js/);
    expect(loaded).not.toMatch(/@nestjs|reflect-metadata|rxjs/);
  });
});
