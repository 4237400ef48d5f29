import { SERVICE_PERMISSIONS, SERVICE_USERS, type ServiceUser } from '@retrace/messaging';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { PlainClient } from './plain-client.js';
import { AGENTS, OPERATORS, Scene } from './scene.js';
import {
  CHANGING_REQUESTS,
  EVENT_SUBJECTS,
  FOREIGN_EARS,
  FOREIGN_SUBJECTS,
  READING_REQUESTS,
  SERVER_SUBJECTS,
  SERVICE_SUBJECTS,
} from './subjects.js';

const scene = new Scene();
jest.setTimeout(60_000);
const PURGES = ['$JS.API.STREAM.PURGE.RETRACE', '$JS.API.STREAM.PURGE.RETRACE_IN'];
const SERVICES = SERVICE_USERS.filter((name) => name !== 'setup');

beforeAll(() => scene.open(), 120_000);
afterAll(() => scene.close(), 60_000);

/** Publishes each, and answers those that the server did not refuse. */
async function taken(client: PlainClient, subjects: readonly string[]): Promise<string[]> {
  const through: string[] = [];
  for (const subject of subjects) {
    const refused = await client.publish(subject, '{"seq":1}');
    if (!refused.some((text) => text.includes(`Permissions Violation for Publish to "${subject}"`)))
      through.push(subject);
  }
  return through;
}

describe('the bus lets nobody in', () => {
  it.each([
    ['without a name', async () => ({})],
    ['by a wrong password', async () => ({ user: 'thief', password: 'x'.repeat(43) })],
    ['by the password of another', async () => ({ user: '_op-local', password: (await own()).password })],
    ['as a service by an agent’s password', async () => ({ user: '_svc-execution', password: (await own()).password })],
    ['by a name that nobody has', async () => ({ user: '_op-nobody', password: (await own()).password })],
    ['as the server’s own', async () => ({ user: 'sys', password: '' })],
  ])('%s', async (_, login) => {
    await expect(PlainClient.connect(scene.system.url, 'thief', await login())).rejects.toThrow(/authorization/i);
  });

  it('but who has the right one', async () => {
    const client = await PlainClient.connect(scene.system.url, 'thief', await own());
    expect((await client.request('retrace.rpc.thief._.policy.ping')).verdict).toBe('ok');
    await client.close();
  });

  const own = async () => ({ user: 'thief', password: await scene.passwordOf('thief') });
});

describe.each([...AGENTS, ...OPERATORS])('%s', (role) => {
  it('publishes no event, no outcome, no request to JetStream, and nothing in the name of another', async () => {
    const client = await scene.as(role);
    const before = await scene.log.lastSequence();
    const events = EVENT_SUBJECTS.map(([, subject]) => subject);
    const requests = [...CHANGING_REQUESTS, ...PURGES, ...READING_REQUESTS];
    const others = [...SERVER_SUBJECTS, ...FOREIGN_SUBJECTS, ...SERVICE_SUBJECTS];
    expect(await taken(client, [...events, ...requests, ...others])).toEqual([]);
    expect(await scene.log.lastSequence()).toBe(before);
  });

  it('hears nothing that is not its own', async () => {
    const client = await scene.as(role);
    // Operators watch everybody.
    const ears = FOREIGN_EARS.filter((ear) => !role.startsWith('_op-') || !isOutcome(ear));
    for (const ear of ears) {
      const { refused } = await client.subscribe(ear);
      expect([ear, refused]).toEqual([ear, [expect.stringContaining(`Subscription to "${ear}"`)]]);
    }
  });

  it('is heard and answered in its own name', async () => {
    const client = await scene.as(role);
    expect(await client.publish(`retrace.intent.attic.${role}`, '')).toEqual([]);
    expect((await client.request(`retrace.rpc.${role}._.policy.ping`)).verdict).toBe('ok');
    expect((await client.subscribe(`retrace.out.*.${role}.>`)).refused).toEqual([]);
  });
});

const isOutcome = (ear: string): boolean => ear.startsWith('retrace.out.');

describe('a service with its own login', () => {
  it.each(EVENT_SUBJECTS.filter(([type]) => !type.startsWith('retrace.message.')))(
    'writes %s only where it is the one that may',
    async (_, subject) => {
      const may = (name: ServiceUser) => SERVICE_PERMISSIONS[name].publish.some((allowed) => covers(allowed, subject));
      const others = SERVICE_USERS.filter((name) => !may(name));
      expect(others).toHaveLength(SERVICE_USERS.length - 1);
      for (const name of others) expect(await taken(await scene.service(name), [subject])).toEqual([]);
    },
  );

  it.each(SERVICES)('%s changes no stream and speaks for no principal', async (name) => {
    const purges = name === 'policy' ? PURGES.slice(0, 1) : PURGES;
    const subjects = [...CHANGING_REQUESTS, ...purges, ...SERVER_SUBJECTS, ...FOREIGN_SUBJECTS];
    expect(await taken(await scene.service(name), subjects)).toEqual([]);
  });

  it('setup, which makes the streams, cannot delete from them', async () => {
    const making = /STREAM\.(CREATE|UPDATE)\./;
    const subjects = [...CHANGING_REQUESTS.filter((subject) => !making.test(subject)), ...PURGES, ...FOREIGN_SUBJECTS];
    expect(await taken(await scene.service('setup'), subjects)).toEqual([]);
    const client = await scene.service('setup');
    const { body } = await client.request('$JS.API.STREAM.INFO.RETRACE', '');
    const config = { ...(JSON.parse(body) as { config: object }).config, deny_delete: false };
    const update = await client.request('$JS.API.STREAM.UPDATE.RETRACE', JSON.stringify(config));
    expect(update.body).toContain('can not cancel deny message deletes');
  });

  it.each(SERVICES)('%s changes no policy and admits nobody, which operators alone do', async (name) => {
    const client = await scene.service(name);
    const before = await scene.log.lastSequence();
    for (const [call, body] of [
      ['policy.publish', { name: 'team', yaml: '' }],
      ['policy.add_member', { member: 'stranger' }],
      ['fs.add_workspace', { name: 'taken', root: scene.folder }],
      ['query.rebuild', {}],
    ] as const) {
      const { verdict } = await client.request(`retrace.svc.notes.${call}`, JSON.stringify(body));
      expect([call, verdict]).toEqual([call, 'forbidden']);
    }
    expect(await scene.log.lastSequence()).toBe(before);
  });
});

it('leaves the honest agent at work', async () => {
  await scene.session.write('public/after.md', 'still here\n', { reason: 'works' });
  expect((await scene.honest.read('public/after.md')).text()).toBe('still here\n');
});

/** Whether a permission covers a subject, by the rules of NATS. */
function covers(permission: string, subject: string): boolean {
  const pattern = permission.replaceAll('.', '\\.').replaceAll('$', '\\$').replaceAll('*', '[^.]+').replace('>', '.+');
  return new RegExp(`^${pattern}$`).test(subject);
}
