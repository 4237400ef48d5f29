import type { IntentDeniedError } from '@retrace/client';
import { type BlobHash, BlobHashSchema, type IntentId, type OperationRequest } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Bed, MODES, RetraceSystem } from '@retrace/testing';

const WAITS = { RETRACE_BLOB_WAIT_MS: '2000' };
const NEVER: BlobHash = BlobHashSchema.parse('0'.repeat(64));

const createOf = (path: string): OperationRequest => ({
  action: 'create',
  operation_id: newId('op'),
  path,
  content_hash: NEVER,
  size: 3,
});
const refusal = (error: IntentDeniedError) => error;

// The end of an open logical operation's time is shown in open-operation.e2e-spec.ts.
describe.each(MODES)('every wait ends, in %s', (mode) => {
  const system = new RetraceSystem(mode);
  let bed: Bed;

  beforeAll(async () => {
    await system.start(WAITS);
    bed = await Bed.make(system, 'waits', { a: '0' });
  }, 120_000);
  afterAll(async () => {
    await bed?.close();
    await system.dispose();
  }, 60_000);

  const recorded = async () => {
    await bed.operator.catchUp();
    return (await bed.operator.log()).entries.map(({ status, code }) => ({ status, code }));
  };

  it('of an intent whose content never comes: what overlaps waits behind it, the rest passes', async () => {
    const session = await bed.a.openSession({ task: 'never' });
    const order: string[] = [];
    const note = (name: string) => () => void order.push(name);
    const waits = session
      .apply([createOf('never')])
      .catch(refusal)
      .finally(note('waits'));
    const behind = session.create('never', 'mine').finally(note('behind'));
    const apart = session.mkdir('apart').finally(note('apart'));
    expect(await waits).toMatchObject({ code: 'content_missing', retryable: true });
    await Promise.all([behind, apart]);
    expect(order).toEqual(['apart', 'waits', 'behind']);
    expect(bed.text('never')).toBe('mine');
    expect(await recorded()).toContainEqual({ status: 'denied', code: 'content_missing' });
  }, 30_000);

  it('of an intent that is withdrawn; one that was decided stays as it is', async () => {
    const session = await bed.a.openSession({ task: 'withdrawn' });
    const intentId: IntentId = newId('int');
    const waits = session.apply([createOf('withdrawn')], { intentId }).catch(refusal);
    const behind = session.create('withdrawn', 'mine', { intentId: newId('int') });
    const end = await bed.a.cancel(intentId);
    expect(await waits).toMatchObject({ code: 'withdrawn' });
    await behind;
    expect(bed.text('withdrawn')).toBe('mine');
    expect(await bed.a.cancel(intentId)).toEqual(end);
    expect(await recorded()).toContainEqual({ status: 'denied', code: 'withdrawn' });
  }, 30_000);
});
