import 'reflect-metadata';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { ABSENT, type EventEnvelope, FsAddWorkspace, FsFacts, FsRead, PolicyPublished } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { LOCAL_OPERATOR } from '@retrace/messaging';
import { authorize, requestStep, WORKSPACE } from './testing/authorities.js';
import { ExecutionBed } from './testing/execution-bed.js';
import { hashOf, MemoryBlobs } from './testing/memory-blobs.js';
import { fileOf, requests } from './testing/requests.js';

const POLICY = 'version: 1\nname: all\nrules:\n  - name: all\n    allow: [read]\n    paths: ["**"]\n';

let blobs: MemoryBlobs;
let bed: ExecutionBed;
let to: ReturnType<typeof requests>;
beforeEach(async () => {
  blobs = new MemoryBlobs();
  to = requests(blobs);
  bed = await ExecutionBed.open(blobs);
  await bed.start();
  await bed.operator.call(FsAddWorkspace, WORKSPACE, { name: WORKSPACE, root: bed.folder.root });
}, 120_000);
afterEach(() => bed.close(), 60_000);

const published: EventEnvelope<typeof PolicyPublished> = {
  id: newId('evt'),
  type: PolicyPublished.type,
  source: 'retrace/policy',
  time: '2025-01-15T14:30:22.000Z',
  workspace: WORKSPACE,
  agent: LOCAL_OPERATOR,
  data: { version: 1, name: 'all', yaml: POLICY, published_by: LOCAL_OPERATOR },
};

describe('execution on a real bus', () => {
  it('carries out what is authorized, answers facts and reads, and takes it back', async () => {
    bed.folder.put('a', 'old');
    await bed.write(published);
    await authorize(bed.log, [to.write('a', 'new'), to.mkdir('d'), to.create('d/b', 'B')]);
    const [outcome] = await bed.outcomes(WORKSPACE, 1);
    expect(outcome).toMatchObject({ type: 'retrace.operation.applied.v1', source: 'retrace/execution' });
    expect(bed.folder.text('a')).toBe('new');
    const { facts } = await bed.asPolicy.call(FsFacts, WORKSPACE, { paths: ['a'], follow: false });
    expect(facts).toMatchObject([{ state: fileOf('new'), recorded: { sequence: outcome!.sequence } }]);
    const bytes = await bed.operator.call(FsRead, WORKSPACE, { path: 'd/b', offset: 0, length: 10 });
    expect(Buffer.from(bytes).toString()).toBe('B');
    await requestStep(await bed.logOfRollback(), [
      { path: 'd/b', expect: fileOf('B'), restore: ABSENT },
      { path: 'd', expect: { kind: 'directory', mode: 0o755 }, restore: ABSENT },
      { path: 'a', expect: fileOf('new'), restore: fileOf('old') },
    ]);
    expect((await bed.outcomes(WORKSPACE, 2))[1]).toMatchObject({ data: { kind: 'rollback' } });
    expect(bed.folder.tree()).toEqual({ a: 'file 644 b2xk' });
    expect(blobs.text(hashOf('old'))).toBe('old');
  });

  it('goes on after a restart with what was authorized meanwhile, once', async () => {
    await authorize(bed.log, [to.create('a', '1')]);
    await bed.outcomes(WORKSPACE, 1);
    await bed.stop();
    await authorize(bed.log, [to.edit('a', [{ old_text: '1', new_text: '11', all: true }])]);
    await bed.start();
    await bed.outcomes(WORKSPACE, 2);
    await bed.stop();
    await bed.start();
    await authorize(bed.log, [to.create('b', 'B')]);
    expect((await bed.outcomes(WORKSPACE, 3)).map(({ type }) => type.split('.')[2])).toEqual([
      'applied',
      'applied',
      'applied',
    ]);
    expect(bed.folder.text('a')).toBe('11');
  });
});
