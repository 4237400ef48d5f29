const PAGED_BY = {
  'intent.authorized': 'operations',
  'operation.applied': 'operations',
  'rollback.completed': 'restored',
};

/** Events from messages: the pages of one are next to each other; pages that are not whole are no event. */
export function joinPages(messages) {
  const events = [];
  let pages = [];
  for (const message of messages) {
    const [number, count] = (message.headers['ce-page'] ?? '1/1').split('/').map(Number);
    const follows =
      number === pages.length + 1 && (number === 1 || pages[0].headers['ce-id'] === message.headers['ce-id']);
    if (!follows) pages = [];
    if (number !== pages.length + 1) continue;
    pages.push(message);
    if (number === count) {
      events.push(eventOf(pages));
      pages = [];
    }
  }
  return events;
}

function eventOf(pages) {
  const last = pages.at(-1);
  const [, , , workspace, agent, entity, verb] = last.subject.split('.');
  const type = `${entity}.${verb}`;
  const bodies = pages.map(({ body }) => JSON.parse(body));
  const data = bodies.at(-1);
  const paged = PAGED_BY[type];
  if (bodies.length > 1) data[paged] = bodies.flatMap((body) => body[paged]);
  return { sequence: last.sequence, id: last.headers['ce-id'], type, workspace, agent, data };
}
