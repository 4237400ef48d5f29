import { expect } from '@jest/globals';
import { type Decider, fold } from './decider.js';

/** Reads as a specification: `given([events]).when(command).then([events])`. */
export const specificationFor = <State, Command, Event>(decider: Decider<State, Command, Event>) => ({
  given: (events: readonly Event[]) => ({
    when: (command: Command) => {
      const decide = (): readonly Event[] =>
        decider.decide(command, fold(decider.evolve.bind(decider), decider.initialState, events));
      return {
        then: (expected: readonly unknown[]): void => expect(decide()).toEqual(expected),
        thenMatches: (expected: readonly object[]): void => {
          const found = decide();
          expect(found).toHaveLength(expected.length);
          for (const [i, event] of found.entries()) expect(event).toMatchObject(expected[i]!);
        },
        thenThrows: (message: string | RegExp): void => expect(decide).toThrow(message),
      };
    },
  }),
});
