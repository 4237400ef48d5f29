/** Nothing begun is left without an end, and nothing is in a state that needs a person: nobody interfered. */
export function checkEnds({ events, inbox, contradictions }, intents) {
  return [
    ...contradictions.map(({ first, second }) => ({
      kind: 'doubled',
      text: `${first.id} says two things: ${first.type} at ${first.sequence} and at ${second.sequence}`,
    })),
    ...authorizedWithoutEnd(events),
    ...rollbacksWithoutEnd(events),
    ...openWithoutEnd(events),
    ...trouble(events),
    ...undecided(inbox, intents),
  ];
}

const unfinished = (what, event) => ({ kind: 'unfinished', text: `${what} (${event.type} at ${event.sequence})` });

function authorizedWithoutEnd(events) {
  const ended = new Set();
  for (const { type, data } of events)
    if (type === 'operation.applied' || type === 'operation.failed') ended.add(data.authorized_by.event_id);
  const stale = new Set(
    events.filter(({ type }) => type === 'intent.stale').map(({ data }) => `${data.intent_id} ${data.attempt}`),
  );
  const counted = new Set();
  return events
    .filter(({ type }) => type === 'intent.authorized')
    .flatMap((event) => {
      const attempt = `${event.data.intent_id} ${event.data.attempt}`;
      // The first decision of an attempt counts.
      if (counted.has(attempt)) return [];
      counted.add(attempt);
      return ended.has(event.id) || stale.has(attempt)
        ? []
        : [unfinished(`${event.data.intent_id} was never carried out`, event)];
    });
}

function rollbacksWithoutEnd(events) {
  const completed = new Set();
  const carriedOut = new Set();
  for (const { type, data } of events) {
    if (type === 'rollback.completed') completed.add(data.rollback_id);
    if (type === 'operation.applied' || type === 'operation.failed') carriedOut.add(data.authorized_by.event_id);
  }
  return events.flatMap((event) => {
    const { type, data, id } = event;
    if (type === 'rollback.step_requested' && !carriedOut.has(id))
      return [unfinished('a step was never carried out', event)];
    const begins = type === 'rollback.authorized' || type === 'logical_operation.aborted';
    return begins && !completed.has(data.rollback_id) ? [unfinished(`${data.rollback_id} has no report`, event)] : [];
  });
}

function openWithoutEnd(events) {
  const ended = new Set(
    events
      .filter(({ type }) => type === 'logical_operation.committed' || type === 'logical_operation.aborted')
      .map(({ data }) => data.logical_operation_id),
  );
  return events
    .filter(({ type, data }) => type === 'logical_operation.opened' && !ended.has(data.logical_operation_id))
    .map((event) => unfinished(`${event.data.logical_operation_id} is still open`, event));
}

/** Codes that say that the system, and not another agent, stood in the way. */
const TROUBLE = new Set(['changed_outside', 'needs_attention', 'io', 'internal', 'blob_absent', 'blob_corrupt']);

/** A rollback's step finds something else than its plan saw also where another agent was quicker. */
const isTrouble = (code, kind) => TROUBLE.has(code) && !(kind === 'rollback' && code === 'changed_outside');

function trouble(events) {
  return events.flatMap(({ type, sequence, data }) => {
    const at = (text) => [{ kind: 'trouble', text: `${text} (${type} at ${sequence})` }];
    if (type === 'message.rejected') return at(`${data.service} passed by ${data.subject}: ${data.message}`);
    if (data.needs_attention?.length > 0)
      return at(`${data.intent_id} needs attention at ${data.needs_attention[0].path}`);
    if ((type === 'operation.failed' || type === 'intent.denied') && isTrouble(data.code, data.kind))
      return at(`${data.intent_id}: ${data.code}: ${data.message}`);
    if (type === 'rollback.completed' && data.failures.some(({ code }) => isTrouble(code, 'rollback')))
      return at(`${data.rollback_id}: ${JSON.stringify(data.failures)}`);
    if (type === 'rollback.completed' && data.left_out.some(({ why }) => why === 'outside' || why === 'lossy'))
      return at(`${data.rollback_id} left out ${JSON.stringify(data.left_out[0])}`);
    return [];
  });
}

function undecided(inbox, intents) {
  return inbox.flatMap(({ sequence, body }) => {
    const { intent_id, type } = JSON.parse(body);
    // What withdraws is answered by the end of the intent that it withdraws.
    if (type === 'withdraw' || (intents.get(intent_id)?.ends.length ?? 0) > 0) return [];
    return [{ kind: 'unfinished', text: `${intent_id} lies undecided in RETRACE_IN at ${sequence}` }];
  });
}
