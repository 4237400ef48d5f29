import { describe, it } from '@jest/globals';
import type { Decider } from './decider.js';
import { specificationFor } from './testing.js';

const switchDecider: Decider<'on' | 'off', 'press', 'turned on' | 'turned off'> = {
  initialState: 'off',
  decide: (_command, state) => [state === 'off' ? 'turned on' : 'turned off'],
  evolve: (_state, event) => (event === 'turned on' ? 'on' : 'off'),
};

describe('a decider specification', () => {
  const { given } = specificationFor(switchDecider);

  it('decides from the first state where nothing happened', () => given([]).when('press').then(['turned on']));

  it('decides from what the events left', () => given(['turned on']).when('press').then(['turned off']));
});
