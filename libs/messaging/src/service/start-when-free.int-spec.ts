import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Logger } from '@nestjs/common';
import { ServiceBed } from './bed.testing.js';
import { startService } from './start-service.js';
import { startWhenFree } from './start-when-free.js';
import { Tried, triedService } from './tried-service.testing.js';

jest.setTimeout(60_000);

describe('startWhenFree', () => {
  let bed: ServiceBed;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    bed = await ServiceBed.start();
  }, 120_000);
  afterAll(() => bed.stop());

  it('starts once the one that has the data folder is gone', async () => {
    const first = await startService(triedService(new Tried()), bed.settings('policy'));
    const second = startWhenFree(triedService(new Tried()), bed.settings('policy'));
    await first.close();
    const service = await second;
    expect(service.name).toBe('policy');
    await service.close();
  });

  it('names the one that stays', async () => {
    const first = await startService(triedService(new Tried()), bed.settings('policy'));
    const second = startWhenFree(triedService(new Tried()), bed.settings('policy'), 300);
    await expect(second).rejects.toMatchObject({ code: 'folder_locked', message: expect.stringContaining('policy') });
    await first.close();
  });

  it('does not wait where something else stands in the way', async () => {
    const tries: number[] = [];
    const open = (): Promise<never> => {
      tries.push(1);
      return Promise.reject(new Error('the store is damaged'));
    };
    await expect(startWhenFree({ name: 'policy', open }, bed.settings('policy'))).rejects.toThrow('damaged');
    expect(tries).toHaveLength(1);
  });
});
