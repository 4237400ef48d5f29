import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as platform from '@retrace/platform';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import { AccountBus, listen, store } from './account-bus.testing.js';
import { reloadAccounts } from './reload-accounts.js';

/** A refused request reached nobody, so repeating it is safe; anything else (a time-out above all) is a failure. */
const repeated = async (attempt: () => Promise<unknown>): Promise<void> => {
  for (;;) {
    try {
      await attempt();
      return;
    } catch (error) {
      if (!/no responders|jetstream is not enabled/.test(String(error))) throw error;
    }
  }
};

describe('reloadAccounts', () => {
  let bus: AccountBus;
  let accountsFile: string;
  let policy: NatsConnection;

  beforeAll(async () => {
    bus = await AccountBus.start(platform, ['writer']);
    accountsFile = join(bus.folder, 'accounts.conf');
    policy = await bus.service('policy');
    policy.subscribe('retrace.rpc.*.*.policy.*', { callback: (_, message) => void message.respond('pong') });
    await policy.flush();
  }, 120_000);
  afterAll(() => bus.stop());

  const ping = async (name: string): Promise<boolean> => {
    const connection = await bus.principal(name);
    const answer = await connection.request(`retrace.rpc.${name}._.policy.ping`, '', { timeout: 1_000 });
    return answer.string() === 'pong';
  };

  const add = async (name: string): Promise<void> => {
    await bus.store.addPrincipal(name);
    await reloadAccounts({
      write: () => bus.store.writeAccounts(accountsFile),
      signal: () => bus.server.reload(),
      probe: () => ping(name),
      pauseMs: 50,
    });
  };

  it('lets an added principal work at once, and drops nobody', async () => {
    const writer = await bus.principal('writer');
    const outcomes = listen(writer, 'retrace.out.*.writer.>');
    await writer.flush();
    const lost: string[] = [];
    for (const connection of [writer, policy])
      void (async () => {
        for await (const { type } of connection.status()) lost.push(type);
      })();

    await add('reviewer');

    const reviewer = await bus.principal('reviewer');
    expect(await store(reviewer, 'retrace.intent.docs.reviewer')).toMatchObject({ stream: 'RETRACE_IN' });
    const seen = listen(reviewer, 'retrace.out.*.reviewer.>');
    await reviewer.flush();
    await store(policy, 'retrace.event.7.docs.reviewer.intent.authorized', 'yes');
    expect(await seen.settled()).toMatchObject([{ text: 'yes' }]);

    expect((await writer.request('retrace.rpc.writer._.policy.ping')).string()).toBe('pong');
    await store(policy, 'retrace.event.7.docs.writer.intent.authorized', 'still here');
    expect(await outcomes.settled()).toMatchObject([{ text: 'still here' }]);
    expect(lost).toEqual([]);
  });

  it('lets the calls and intents of others be repeated at once where it refuses them, and loses no outcome', async () => {
    const writer = await bus.principal('writer');
    const outcomes = listen(writer, 'retrace.out.*.writer.>');
    await writer.flush();
    const stop = new AbortController();
    const untilStopped = async (step: () => Promise<unknown>) => {
      let count = 0;
      for (; !stop.signal.aborted; count += 1) await step();
      return count;
    };
    const calls = untilStopped(() => repeated(() => writer.request('retrace.rpc.writer._.policy.ping')));
    const intents = untilStopped(() => repeated(() => store(writer, 'retrace.intent.docs.writer')));
    const events = untilStopped(() => store(policy, 'retrace.event.7.docs.writer.intent.authorized'));
    for (const name of ['a', 'b', '_op-ada']) await add(name);
    stop.abort();
    expect(await Promise.all([calls, intents])).toEqual([expect.any(Number), expect.any(Number)]);
    const published = await events;
    expect(await outcomes.settled()).toHaveLength(published);
  });

  it('keeps the file to its owner', async () => {
    await add('c');
    expect((await stat(accountsFile)).mode & 0o777).toBe(0o600);
  });

  it('says so when the server does not take the change', async () => {
    await bus.store.addPrincipal('never');
    const write = () => bus.store.writeAccounts(accountsFile);
    const deaf = { write, signal: () => {}, probe: () => ping('never'), attempts: 2, pauseMs: 1 };
    await expect(reloadAccounts(deaf)).rejects.toMatchObject({ code: 'accounts_not_loaded' });
  });
});
