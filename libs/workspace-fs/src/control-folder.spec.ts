import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openWorkspaceRoot } from './control-folder.js';
import { WorkspaceLocked } from './workspace-locked.js';

let folder: string;
beforeEach(() => {
  folder = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'workspace-fs-')));
});
afterEach(() => fs.rmSync(folder, { recursive: true }));

const refusal = (): unknown => {
  try {
    openWorkspaceRoot(folder).close();
    return undefined;
  } catch (error) {
    return error;
  }
};

describe('openWorkspaceRoot', () => {
  it('prepares a private control folder that ignores itself', () => {
    openWorkspaceRoot(folder).close();
    const mode = (name: string): number => fs.statSync(path.join(folder, name)).mode & 0o777;
    expect([mode('.retrace'), mode('.retrace/staging')]).toEqual([0o700, 0o700]);
    expect(fs.readFileSync(path.join(folder, '.retrace/.gitignore'), 'utf8')).toBe('*\n');
  });

  it('makes an older control folder private and completes it', () => {
    fs.mkdirSync(path.join(folder, '.retrace'), { mode: 0o755 });
    fs.writeFileSync(path.join(folder, '.retrace/.gitignore'), '');
    openWorkspaceRoot(folder).close();
    expect(fs.statSync(path.join(folder, '.retrace')).mode & 0o777).toBe(0o700);
    expect(fs.readFileSync(path.join(folder, '.retrace/.gitignore'), 'utf8')).toBe('*\n');
  });

  it('lets one holder in and tells the next who it is', () => {
    const first = openWorkspaceRoot(folder);
    const error = refusal();
    expect(error).toBeInstanceOf(WorkspaceLocked);
    expect(error).toMatchObject({ code: 'workspace_locked', path: folder, holder: { pid: process.pid } });
    expect(String(error)).toContain(`${folder}: another executor holds this workspace (pid ${process.pid}, since 2`);
    first.close();
    first.close();
    expect(refusal()).toBeUndefined();
  });

  it('is not stopped by the lock file of a process that died', () => {
    fs.mkdirSync(path.join(folder, '.retrace'));
    fs.writeFileSync(path.join(folder, '.retrace/lock'), '{"pid":1,"since":"2020-01-01T00:00:00.000Z"}');
    expect(refusal()).toBeUndefined();
    expect(fs.readFileSync(path.join(folder, '.retrace/lock'), 'utf8')).toContain(`"pid":${process.pid},`);
  });

  it('holds the lock against other processes', () => {
    const holder = openWorkspaceRoot(folder);
    const lock = path.join(folder, '.retrace/lock');
    expect(spawnSync('flock', ['-n', lock, 'true']).status).toBe(1);
    holder.close();
    expect(spawnSync('flock', ['-n', lock, 'true']).status).toBe(0);
  });

  it('refuses a control folder that is a link, and leaves its target alone', () => {
    const elsewhere = fs.mkdtempSync(path.join(os.tmpdir(), 'workspace-fs-'));
    fs.symlinkSync(elsewhere, path.join(folder, '.retrace'));
    expect(refusal()).toMatchObject({ code: 'link_refused' });
    expect(fs.readdirSync(elsewhere)).toEqual([]);
    fs.rmdirSync(elsewhere);
  });

  it('refuses a lock or staging that is a link', () => {
    fs.mkdirSync(path.join(folder, '.retrace'));
    fs.symlinkSync(os.tmpdir(), path.join(folder, '.retrace/staging'));
    expect(refusal()).toMatchObject({ code: 'link_refused' });
  });

  it('answers the real path of a root that was named through a link', () => {
    fs.mkdirSync(path.join(folder, 'real'));
    fs.symlinkSync('real', path.join(folder, 'link'));
    const root = openWorkspaceRoot(path.join(folder, 'link'));
    expect(root.path).toBe(path.join(folder, 'real'));
    root.close();
  });

  it('closes every handle, also after a refusal', () => {
    const open = (): number => fs.readdirSync('/proc/self/fd').length;
    const before = open();
    const first = openWorkspaceRoot(folder);
    refusal();
    first.close();
    expect(open()).toBe(before);
  });
});
