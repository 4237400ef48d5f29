/**
 * A decision as pure functions: no I/O, no clock, no random. Time and new ids arrive inside the command.
 * `decide` answers the events that a command causes; `evolve` folds one event into the state.
 */
export interface Decider<State, Command, Event> {
  readonly initialState: State;
  decide(command: Command, state: State): readonly Event[];
  evolve(state: State, event: Event): State;
}

/** Folds events in order. */
export const fold = <State, Event>(
  evolve: (state: State, event: Event) => State,
  initialState: State,
  events: Iterable<Event>,
): State => {
  let state = initialState;
  for (const event of events) state = evolve(state, event);
  return state;
};
