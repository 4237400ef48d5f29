import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '@retrace/contracts';
import { SERVICE_PERMISSIONS, SERVICE_USERS } from './service-permissions.js';

/** Whether a permission covers a subject, by the rules of NATS: `*` is one token, `>` one or more at the end. */
const covers = (permission: string, subject: string): boolean => {
  const [allowed, tokens] = [permission.split('.'), subject.split('.')];
  const rest = allowed.at(-1) === '>';
  if (rest ? tokens.length < allowed.length : tokens.length !== allowed.length) return false;
  return allowed.every((token, index) => token === '*' || token === '>' || token === tokens[index]);
};

const writersOf = (type: string) =>
  SERVICE_USERS.filter((name) =>
    SERVICE_PERMISSIONS[name].publish.some((allowed) => covers(allowed, `retrace.event.7.docs.writer.${type}`)),
  );

describe('SERVICE_PERMISSIONS', () => {
  const types = EVENTS.map(({ entity, verb }) => `${entity}.${verb}`).filter((type) => type !== 'message.rejected');

  it.each(types)('lets exactly one service write %s', (type) => {
    expect(writersOf(type)).toHaveLength(1);
  });

  it('lets every service but setup reject a message', () => {
    expect(writersOf('message.rejected')).toEqual(SERVICE_USERS.filter((name) => name !== 'setup'));
  });

  it.each(SERVICE_USERS)('gives %s no way to publish whatever it likes, an intent, or an outcome', (name) => {
    for (const subject of [
      'retrace.event.7.docs.writer.no.such',
      'retrace.intent.docs.writer',
      'retrace.out.docs.writer.a.b',
    ])
      expect(SERVICE_PERMISSIONS[name].publish.filter((allowed) => covers(allowed, subject))).toEqual([]);
  });
});
