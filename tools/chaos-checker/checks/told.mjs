import { nameOf } from '../intents.mjs';

/** What an agent was told must stand in the log, there and once; what it was never told must not stay open. */
export function checkTold(_, intents) {
  return [...intents.values()].flatMap((intent) => [
    ...intent.told.flatMap((told) => againstLog(intent, told)),
    ...doubled(intent),
    ...unasked(intent),
    ...openEnd(intent),
  ]);
}

function againstLog(intent, told) {
  const same = intent.ends.filter(({ as }) => as === told.as);
  if (same.length === 0) {
    const found = intent.ends.map(({ as, event }) => `${as} at ${event.sequence}`).join(', ') || 'nothing';
    return [{ kind: 'lost', text: `${nameOf(intent)} was told ${told.as} at ${told.sequence}; the log has ${found}` }];
  }
  const [{ event }] = same;
  const findings = [];
  if (told.sequence !== undefined && !event.places.includes(told.sequence)) {
    const text = `${nameOf(intent)} was told ${told.sequence}; its event stands at ${event.places.join(', ')}`;
    findings.push({ kind: 'sequence', text });
  }
  if (told.operations) {
    const logged = event.data.operations.map(({ operation_id }) => operation_id);
    if (JSON.stringify(told.operations) !== JSON.stringify(logged))
      findings.push({ kind: 'lost', text: `${nameOf(intent)} was told other operations than the log has` });
  }
  return findings;
}

function doubled(intent) {
  if (intent.ends.length < 2) return [];
  const ends = intent.ends.map(({ as, event }) => `${as} at ${event.sequence}`);
  return [{ kind: 'doubled', text: `${nameOf(intent)} ended ${ends.length} times: ${ends.join(', ')}` }];
}

/** Every principal that acts here writes a journal: nobody else may have done anything. */
function unasked(intent) {
  if (intent.ends.length === 0) return [];
  const { as, event } = intent.ends[0];
  if (!intent.asked) {
    if (event.agent.startsWith('_') || intent.ranOut) return [];
    return [
      { kind: 'foreign', text: `${intent.id} of ${event.agent} was ${as} at ${event.sequence}; nobody asked it` },
    ];
  }
  if (!intent.notSent) return [];
  const text = `${nameOf(intent)} was said not to have been sent, and was ${as} at ${event.sequence}`;
  return [{ kind: 'foreign', text }];
}

function openEnd(intent) {
  if (!intent.asked || intent.notSent) return [];
  if (intent.ends.length === 0) return [{ kind: 'unfinished', text: `${nameOf(intent)} has no outcome in the log` }];
  if (intent.told.length > 0) return [];
  return [
    { kind: 'unfinished', text: `${nameOf(intent)} ended ${intent.ends[0].as}, and its agent never heard of it` },
  ];
}
