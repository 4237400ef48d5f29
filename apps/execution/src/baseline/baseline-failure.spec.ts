import { describe, expect, it } from '@jest/globals';
import { SafeFsError } from '@retrace/workspace-fs';
import { reasonOf } from './baseline-failure.js';

const system = (code: string) => Object.assign(new Error(`${code}: read`), { code, errno: -5, syscall: 'read' });

describe('why an object is skipped', () => {
  it('is said in words where the account may not read it, else as the system says it', () => {
    for (const error of [new SafeFsError('not_permitted', 'openAt', 13), system('EACCES')])
      expect(reasonOf(error)).toBe('this account may not read it');
    expect(reasonOf(system('EIO'))).toBe('EIO: read');
    expect(reasonOf(new SafeFsError('io', 'openAt', 5, 'a'))).toContain('EIO');
  });

  it('is nothing where the fault is ours', () => {
    for (const error of [new Error('a bug'), system('EMFILE'), new SafeFsError('too_many_files', 'openAt', 24)])
      expect(() => reasonOf(error)).toThrow(error);
  });
});
