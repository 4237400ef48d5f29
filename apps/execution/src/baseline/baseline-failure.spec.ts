import { describe, expect, it } from '@jest/globals';
import { SafeFsError } from '@retrace/workspace-fs';
import { reasonOf } from './baseline-failure.js';

describe('why an object is skipped', () => {
  it('is said in words where the account may not read it, else as the system says it', () => {
    expect(reasonOf(new SafeFsError('not_permitted', 'openAt', 13))).toBe('this account may not read it');
    expect(reasonOf(new SafeFsError('io', 'openAt', 5, 'a'))).toContain('EIO');
  });

  it('is nothing where the fault is ours', () => {
    const system = Object.assign(new Error('EIO: read'), { code: 'EIO', errno: -5, syscall: 'read' });
    for (const error of [new Error('a bug'), system, new SafeFsError('too_many_files', 'openAt', 24)])
      expect(() => reasonOf(error)).toThrow(error);
  });
});
