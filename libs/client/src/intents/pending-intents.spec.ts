import { IntentDenied, OperationApplied } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { describe, expect, it } from '@jest/globals';
import { OutcomeUnknown, UploadFailedError } from '../errors.js';
import { appliedData, deniedData } from '../testing/outcome-data.js';
import { PendingIntents } from './pending-intents.js';

const LONG_MS = 60_000;
const ignore = (): void => {};

describe('PendingIntents', () => {
  it('settles an intent once, by the first event that ends it', async () => {
    const pending = new PendingIntents();
    const id = newId('int');
    const outcome = pending.add(id, LONG_MS, ignore);
    expect(pending.take(id, { type: OperationApplied.type, data: appliedData(), sequence: 5 })).toBe(true);
    expect(pending.take(id, { type: IntentDenied.type, data: deniedData(), sequence: 6 })).toBe(false);
    expect(await outcome).toMatchObject({ kind: 'applied', sequence: 5 });
    expect(pending.ids()).toEqual([]);
  });

  it('says that an upload failed where content was missing because of it', async () => {
    const pending = new PendingIntents();
    const id = newId('int');
    const outcome = pending.add(id, LONG_MS, ignore);
    pending.noteUploadError(id, Object.assign(new Error('too large'), { code: 'blob_too_large' }));
    pending.take(id, { type: IntentDenied.type, data: deniedData({ code: 'withdrawn' }), sequence: 6 });
    const error = await outcome.catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(UploadFailedError);
    expect(error).toMatchObject({ code: 'blob_too_large', message: 'content could not be stored: too large' });
  });

  it('leaves an outcome that cannot be read unknown', async () => {
    const pending = new PendingIntents();
    const id = newId('int');
    const outcome = pending.add(id, LONG_MS, ignore);
    pending.take(id, { type: IntentDenied.type, data: {}, sequence: 6 });
    await expect(outcome).rejects.toBeInstanceOf(OutcomeUnknown);
  });

  it('tells when nothing was heard in time', async () => {
    const pending = new PendingIntents();
    const id = newId('int');
    await new Promise<void>((resolve) => {
      void pending.add(id, 1, resolve).catch(ignore);
    });
    expect(pending.has(id)).toBe(true);
    pending.reject(id, new OutcomeUnknown(id, 'spec'));
    expect(pending.has(id)).toBe(false);
  });
});
