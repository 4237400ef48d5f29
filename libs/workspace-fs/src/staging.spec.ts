import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENT } from '@retrace/contracts';
import fs from 'node:fs';
import { stage } from './stage.js';
import { dropStagedAside, listStaged } from './staging.js';
import { fileOf, temporaryWorkspace, type TemporaryWorkspace } from './testing/temporary-workspace.js';

describe('a staged file that is dropped aside', () => {
  let w: TemporaryWorkspace;
  beforeEach(() => {
    w = temporaryWorkspace();
    stage(w.root, { path: 'f', from: ABSENT, to: fileOf('staged'), stageName: 's' }, () => Buffer.from('staged'));
  });
  afterEach(() => w.dispose());

  it('is gone; that it is gone already is no error', async () => {
    await dropStagedAside(w.root, 's');
    expect(listStaged(w.root)).toEqual([]);
    await dropStagedAside(w.root, 's');
  });

  it('is not looked for where the path of staging leads by now', async () => {
    const outside = w.full('outside');
    fs.mkdirSync(outside);
    fs.writeFileSync(`${outside}/s`, 'somebody else’s');
    fs.renameSync(w.full('.retrace/staging'), w.full('elsewhere'));
    fs.symlinkSync(outside, w.full('.retrace/staging'));
    await dropStagedAside(w.root, 's');
    expect([fs.readdirSync(outside), fs.readdirSync(w.full('elsewhere'))]).toEqual([['s'], []]);
  });
});
