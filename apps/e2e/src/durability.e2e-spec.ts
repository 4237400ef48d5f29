import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Session } from '@retrace/client';
import { Bed, MODES, processFamily, RetraceSystem, systemCalls } from '@retrace/testing';

const SYNCS = ['fsync', 'fdatasync'];
const RENAMES = ['rename', 'renameat', 'renameat2'];

describe.each(MODES)('durability, in %s', (mode) => {
  let system: RetraceSystem;
  let bed: Bed;
  let session: Session;

  beforeEach(() => {
    system = new RetraceSystem(mode);
  });
  afterEach(async () => {
    await bed.close();
    await system.dispose();
  }, 60_000);

  /** What a write that replaces a file asks of the kernel. */
  async function write(durability: string): Promise<string[]> {
    await system.start({ RETRACE_DURABILITY: durability });
    bed = await Bed.make(system, 'safe', { 'a.md': 'before\n' });
    session = await bed.a.openSession({ task: 'safe' });
    await session.write('a.md', 'first');
    return systemCalls(processFamily(system.pid), [...SYNCS, ...RENAMES], () => session.write('a.md', 'second'));
  }

  it('power: content, staged file and journal are synced before the change; folders, journal and log before the answer', async () => {
    const calls = await write('power');
    const change = calls.findIndex((call) => /rename.*"a\.md"/.test(call));
    const synced = (part: readonly string[], what: RegExp): boolean =>
      part.some((call) => / f(?:data)?sync\(/.test(call) && what.test(call));
    const [before, after] = [calls.slice(0, change), calls.slice(change)];
    for (const what of [
      /RETRACE_IN\/msgs/,
      /snapshot\/blobs\/index\.mdb/,
      /RETRACE\/msgs/,
      /safe\/\.retrace\/./,
      /journal\.mdb/,
    ])
      expect([String(what), synced(before, what)]).toEqual([String(what), true]);
    for (const what of [/\/safe>/, /safe\/\.retrace\/staging>/, /journal\.mdb/, /RETRACE\/msgs/])
      expect([String(what), synced(after, what)]).toEqual([String(what), true]);
    expect(bed.text('a.md')).toBe('second');
  }, 120_000);

  it('process: no service waits for a disk', async () => {
    const calls = await write('process');
    expect(calls.filter((call) => /rename.*"a\.md"/.test(call))).toHaveLength(1);
    expect(calls.filter((call) => /sync\(.*(?:\.mdb|\/safe|\/blobs)/.test(call))).toEqual([]);
  }, 120_000);
});
