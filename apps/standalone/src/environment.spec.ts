import { describe, expect, it } from '@jest/globals';
import { parseEnvironment } from './environment.js';

describe('the environment of a system', () => {
  it('takes a free port and survives its process where nothing is said', () => {
    expect(parseEnvironment({})).toEqual({ port: -1, durability: 'process', url: undefined });
  });

  it('takes what is said', () => {
    const environment = { RETRACE_PORT: '4222', RETRACE_DURABILITY: 'power', NATS_URL: 'nats://bus:4222' };
    expect(parseEnvironment(environment)).toEqual({ port: 4222, durability: 'power', url: 'nats://bus:4222' });
  });

  it.each([{ RETRACE_PORT: '70000' }, { RETRACE_PORT: 'many' }, { RETRACE_DURABILITY: 'maybe' }])(
    'refuses %j',
    (environment) => {
      expect(() => parseEnvironment(environment)).toThrow(Object.keys(environment)[0]!);
    },
  );
});
