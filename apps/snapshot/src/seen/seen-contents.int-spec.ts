import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import {
  ABSENT,
  BlobHashSchema,
  type OperationApplied,
  type PathState,
  PrincipalSchema,
  type StoredEvent,
} from '@retrace/contracts';
import { SeenContents } from './seen-contents.js';

const [writer, operator] = ['writer', '_op-me'].map((name) => PrincipalSchema.parse(name)) as [never, never];
const hash = BlobHashSchema.parse('1'.repeat(64));
const file: PathState = { kind: 'file', hash, size: 1, mode: 0o644 };
const position = (sequence: number) => ({ sequence, eventId: `evt_${sequence}` as never });

const applied = (agent: string, before: PathState, after: PathState) =>
  ({
    agent,
    data: { operations: [{ state_snapshot_before: { state: before }, state_snapshot_after: { state: after } }] },
  }) as unknown as StoredEvent<typeof OperationApplied>;

describe('whose history a content belongs to', () => {
  let folder: string;
  let seen: SeenContents;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-seen-'));
    seen = SeenContents.open(folder, 'process', 0);
  });
  afterEach(async () => {
    await seen.close();
    rmSync(folder, { recursive: true });
  });

  it.each<[string, PathState, PathState]>([
    ['what was created', ABSENT, file],
    ['what was deleted', file, ABSENT],
  ])('is kept over a restart: %s', async (_, before, after) => {
    seen.fold(applied(writer, before, after), '1', position(3));
    await seen.close();
    seen = SeenContents.open(folder, 'process', 0);
    expect([await seen.has(writer, hash), seen.positions.load('1')?.sequence]).toEqual([true, 3]);
  });

  it('is nobody else’s, and of operators nothing is kept', async () => {
    seen.fold(applied(operator, ABSENT, file), '1', position(3));
    expect([await seen.has(operator, hash), await seen.has(writer, hash)]).toEqual([false, false]);
    expect(seen.positions.load('1')?.sequence).toBe(3);
  });

  it('is waited for, for a moment', async () => {
    await seen.close();
    seen = SeenContents.open(folder, 'process', 60_000);
    const asked = seen.has(writer, hash);
    seen.fold(applied(writer, ABSENT, file), '1', position(3));
    expect(await asked).toBe(true);
  });

  it('is not waited for once the service ends', async () => {
    await seen.close();
    seen = SeenContents.open(folder, 'process', 60_000);
    const asked = seen.has(writer, hash);
    await seen.close();
    expect(await asked).toBe(false);
  });
});
