import { describe, expect, it } from '@jest/globals';
import { newId } from '../new-id.js';
import { rememberedEvent } from './remembered-event.js';

describe('rememberedEvent', () => {
  const caused = (by: Record<string, string>) =>
    rememberedEvent([{ subject: 'a', headers: { 'ce-id': newId('evt'), ...by }, body: '{}' }], [new Uint8Array()], 0);

  it('has the event that caused it', () => {
    const cause = newId('evt');
    expect(caused({ 'ce-causationid': cause }).cause).toBe(cause);
  });

  it('waits for no intent, which never comes to stand in the log', () => {
    expect(caused({ 'ce-causationid': newId('int') }).cause).toBeUndefined();
    expect(caused({}).cause).toBeUndefined();
  });
});
