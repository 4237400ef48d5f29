import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { pingCall } from '@retrace/contracts';
import { Logger } from '@nestjs/common';
import { ServiceBed } from './bed.testing.js';
import { startService } from './start-service.js';
import { Tried, triedService } from './tried-service.testing.js';

jest.setTimeout(60_000);

describe('startService', () => {
  let bed: ServiceBed;
  beforeAll(async () => {
    Logger.overrideLogger(false);
    bed = await ServiceBed.start();
  }, 120_000);
  afterAll(() => bed.stop());

  it('refuses a data folder that another one works in, and lets that one be', async () => {
    const first = await startService(triedService(new Tried()), bed.settings('policy'));
    const second = startService(triedService(new Tried()), bed.settings('policy'));
    await expect(second).rejects.toMatchObject({ code: 'folder_locked', message: expect.stringContaining('policy') });
    const operator = await bed.asOperator();
    expect(await operator.call(pingCall('policy'), '_', {})).toMatchObject({ ready: true });
    await Promise.all([first.close(), first.close()]);
    const third = await startService(triedService(new Tried()), bed.settings('policy'));
    await third.close();
  });

  it('leaves nothing open when its store does not open', async () => {
    const broken = { name: 'policy' as const, open: () => Promise.reject(new Error('the store is damaged')) };
    await expect(startService(broken, bed.settings('policy'))).rejects.toThrow('the store is damaged');
    const next = await startService(triedService(new Tried()), bed.settings('policy'));
    await next.close();
  });

  it('leaves nothing open when it cannot get ready', async () => {
    const tried = new Tried();
    const definition = triedService(tried);
    const unready = {
      ...definition,
      open: async (context: Parameters<typeof definition.open>[0]) => ({
        ...(await definition.open(context)),
        afterStart: () => Promise.reject(new Error('never caught up')),
      }),
    };
    await expect(startService(unready, bed.settings('policy'))).rejects.toThrow('never caught up');
    expect(tried.closed).toEqual(['store']);
    expect(tried.context.connection.isClosed()).toBe(true);
    const next = await startService(triedService(new Tried()), bed.settings('policy'));
    await next.close();
  });

  it('fails with a word on the bus when it is let in nowhere', async () => {
    const wrong = { ...bed.settings('policy'), password: 'x' };
    await expect(startService(triedService(new Tried()), wrong)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('_svc-policy'),
    });
  });

  it('closes although the bus has gone', async () => {
    const own = await ServiceBed.start();
    const tried = new Tried();
    const service = await startService(triedService(tried), own.settings('policy'));
    await own.bus.stop();
    await service.close();
    expect(tried.closed).toEqual(['store']);
    await own.stop();
  });
});
