import { describe, expect, it } from '@jest/globals';
import { PolicyShow } from '@retrace/contracts';
import { errors, type Msg, type NatsConnection } from '@nats-io/transport-node';
import { requestPatiently } from './request-patiently.js';

/** A connection that fails with these errors, one after another, and then answers. */
const failing = (failures: Error[]) => {
  let asked = 0;
  const request = (): Promise<Msg> => {
    asked += 1;
    const error = failures.shift();
    return error ? Promise.reject(error) : Promise.resolve({ subject: 'reply' } as Msg);
  };
  return { connection: { request } as unknown as NatsConnection, times: () => asked };
};

const ask = (connection: NatsConnection, timeout = 1_000) =>
  requestPatiently(connection, 'a.subject', '', { timeout }, PolicyShow);

const nobody = (): Error => new errors.NoRespondersError('a.subject');

describe('a patient request', () => {
  it('is sent again while nobody was there to take it', async () => {
    const { connection, times } = failing([nobody(), nobody()]);
    expect(await ask(connection)).toMatchObject({ subject: 'reply' });
    expect(times()).toBe(3);
  });

  it('is not sent again where somebody may have taken it', async () => {
    const { connection, times } = failing([new errors.TimeoutError()]);
    await expect(ask(connection)).rejects.toMatchObject({ code: 'timeout' });
    expect(times()).toBe(1);
  });

  it('gives up within its time', async () => {
    const { connection } = failing(Array.from({ length: 1_000 }, nobody));
    await expect(ask(connection, 120)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('retrace status'),
    });
  });
});
