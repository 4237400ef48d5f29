/** What there was to judge: a check of nothing must not look like a proof. */
export function figuresOf({ events, journals, inbox }, intents) {
  const asked = [...intents.values()].filter((intent) => intent.asked);
  const told = (as) => asked.filter((intent) => intent.told.some((line) => line.as === as));
  const codes = (as) => countBy(told(as).map((intent) => intent.told.at(-1).code));
  return {
    agents: journals.length,
    asked: countBy(asked.map((intent) => intent.asked.kind)),
    applied: told('applied').length,
    failed: codes('failed'),
    denied: codes('denied'),
    undone: told('undone').length,
    ranOut: [...intents.values()].filter(({ ranOut }) => ranOut).length,
    unknownFirst: asked.filter(({ unknown }) => unknown > 0).length,
    notSent: asked.filter(({ notSent }) => notSent).length,
    events: events.length,
    eventsStoredTwice: events.filter(({ places }) => places.length > 1).length,
    records: events.filter(({ type }) => type === 'operation.applied').flatMap(({ data }) => data.operations).length,
    decidedAgain: events.filter(({ type }) => type === 'intent.stale').length,
    stillInbox: inbox.length,
  };
}

function countBy(names) {
  const counts = {};
  for (const name of names.toSorted()) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}
