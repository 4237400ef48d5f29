import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { failpointNames } from './failpoint-names.js';

describe('the names of failpoints', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-names-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));
  const put = (path: string, text: string): void => {
    mkdirSync(join(folder, path, '..'), { recursive: true });
    writeFileSync(join(folder, path), text);
  };

  it('come from every source below the folders, sorted, specs and what is built left out', () => {
    put('a/src/one.ts', "failpoint('b.second');\nif (x) failpoint('a.first');");
    put('a/src/one.spec.ts', "failpoint('spec.only');");
    put('a/dist/one.ts', "failpoint('built.only');");
    put('a/node_modules/other/index.ts', "failpoint('foreign.only');");
    put('b/failpoint.ts', 'export function failpoint(name: string): void {}');
    expect(failpointNames([folder])).toEqual(['a.first', 'b.second']);
  });

  it.each(['failpoint(name)', "failpoint('a.first');\nfailpoint('a.first')", 'failpoint(`a.${x}`)'])(
    'are refused where nobody could collect them or tell them apart: %s',
    (text) => {
      put('a.ts', text);
      expect(() => failpointNames([folder])).toThrow('no literal, or stand twice');
    },
  );

  it('stand in this repository: of each service and of the libraries below them', () => {
    const areas = new Set(failpointNames().map((name) => name.split('.')[0]));
    const known = [
      'append',
      'apply',
      'blob',
      'decision',
      'journal',
      'lane',
      'outbox',
      'projection',
      'rebuild',
      'upload',
    ];
    expect([...areas]).toEqual(expect.arrayContaining(known));
  });
});
