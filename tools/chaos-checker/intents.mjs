/** Which event ends an intent, and what its agent is told then. */
const ENDS = {
  'operation.applied': 'applied',
  'operation.failed': 'failed',
  'intent.denied': 'denied',
  'session.opened': 'opened',
  'session.completed': 'completed',
  'logical_operation.opened': 'opened',
  'logical_operation.committed': 'committed',
  'rollback.completed': 'undone',
};

/** Of every intent that a journal or an ending names: what was asked, what was told, and how the log says it ended. */
export function readIntents({ journals, events }) {
  const intents = new Map();
  const of = (id) => {
    if (!intents.has(id)) intents.set(id, { id, told: [], unknown: 0, notSent: false, ends: [], decisions: [] });
    return intents.get(id);
  };
  for (const { lines } of journals) for (const line of lines) note(of(line.intent), line);
  for (const event of events) {
    const { type, data } = event;
    const as = ENDS[type];
    // A rollback's steps are parts of it: its report ends it.
    if (as && data.kind !== 'rollback') of(data.intent_id).ends.push({ as, event });
    // Nobody asked: the time of an open logical operation was over.
    if (type === 'logical_operation.aborted' && data.why === 'timeout') of(data.intent_id).ranOut = true;
    if (type === 'intent.authorized' || type === 'rollback.authorized' || type === 'intent.denied')
      of(data.intent_id).decisions.push(event);
  }
  return intents;
}

function note(intent, line) {
  if (line.at === 'asked') intent.asked = line;
  if (line.at === 'told') intent.told.push(line);
  if (line.at === 'unknown') intent.unknown += 1;
  // Refused at the door, and nothing sent before that might have got in.
  if (line.at === 'not-sent' && intent.unknown === 0) intent.notSent = true;
}

/** Names an intent so that a person finds it. */
export const nameOf = ({ id, asked }) => {
  if (!asked) return id;
  const what = (asked.operations ?? []).map(({ action, path, to }) => `${action} ${path}${to ? ` -> ${to}` : ''}`);
  return `${asked.agent} #${asked.n} ${asked.kind} ${what.slice(0, 3).join(', ')} (${id})`;
};
