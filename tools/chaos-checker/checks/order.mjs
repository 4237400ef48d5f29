import { nameOf } from '../intents.mjs';

/** Outcomes follow their authorities; and of one session, what touches the same paths happens in the order asked. */
export function checkOrder({ events }, intents) {
  return [...byAuthority(events), ...bySession(events, intents)];
}

function byAuthority(events) {
  const findings = [];
  const at = new Map(events.map((event) => [event.id, event]));
  let newest = 0;
  for (const { type, sequence, data } of events) {
    if (type !== 'operation.applied' && type !== 'operation.failed') continue;
    const authority = at.get(data.authorized_by.event_id);
    const say = (text) => findings.push({ kind: 'order', text: `${data.intent_id} at ${sequence}: ${text}` });
    if (!authority) say(`its authority ${data.authorized_by.event_id} is not in the log`);
    else {
      if (authority.sequence > sequence) say(`its authority stands after it, at ${authority.sequence}`);
      if (authority.sequence <= newest)
        say(`a later authority (${newest}) was carried out before its own, ${authority.sequence}`);
      newest = Math.max(newest, authority.sequence);
    }
  }
  return findings;
}

function bySession(events, intents) {
  const findings = [];
  const sessions = new Map();
  for (const { type, sequence, data } of events) {
    const intent = intents.get(data.intent_id);
    if (type !== 'operation.applied' || data.kind === 'rollback' || !intent?.asked) continue;
    if (!sessions.has(data.session_id)) sessions.set(data.session_id, new Touched());
    const touched = sessions.get(data.session_id);
    const paths = intent.asked.operations.flatMap(({ path, to }) => (to === undefined ? [path] : [path, to]));
    const later = touched.newestOver(paths);
    if (later && later.asked.n > intent.asked.n && !mayBeLate(intent))
      findings.push({
        kind: 'order',
        text: `${nameOf(intent)} at ${sequence} was asked before ${nameOf(later)}, which was applied first`,
      });
    for (const path of paths) touched.note(path, intent);
  }
  return findings;
}

/** It was handed in again after nobody had answered, so its place is that of the time when it got in; or decided again. */
const mayBeLate = ({ unknown, decisions }) => unknown > 0 || decisions.some(({ data }) => data.attempt > 1);

/** The newest intent that touched a path, one above it or one below it. */
class Touched {
  exact = new Map();
  below = new Map();

  note(path, intent) {
    keepNewest(this.exact, path, intent);
    for (const above of [...ancestors(path), path]) keepNewest(this.below, above, intent);
  }

  newestOver(paths) {
    const found = paths.flatMap((path) => [
      this.below.get(path),
      ...ancestors(path).map((above) => this.exact.get(above)),
    ]);
    return found.filter(Boolean).toSorted((a, b) => b.asked.n - a.asked.n)[0];
  }
}

const keepNewest = (map, path, intent) => {
  if ((map.get(path)?.asked.n ?? -1) < intent.asked.n) map.set(path, intent);
};

const ancestors = (path) =>
  path
    .split('/')
    .map((_, i, names) => names.slice(0, i).join('/'))
    .slice(1);
