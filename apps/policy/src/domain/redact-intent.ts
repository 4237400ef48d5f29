import type { DecidableIntent } from './decision-input.js';

type Redact = (text: string) => string;

/**
 * Takes secrets out of the free texts of an intent: only this copy reaches the log. A mark may be longer than what it
 * stands for: tasks and reasons may grow, as events give them no length; what events hold to the contract's lengths is
 * cut.
 */
export function redactIntent(intent: DecidableIntent, redact: Redact): DecidableIntent {
  switch (intent.type) {
    case 'session.open':
      return { ...intent, task: redact(intent.task) };
    case 'session.complete':
    case 'operation.commit':
      return intent;
    case 'operation.open':
    case 'operation.abort':
    case 'rollback':
      return { ...intent, ...redactedReason(intent.reason, redact) };
    case 'operation.apply':
      return { ...intent, ...redactedReason(intent.reason, redact), ...redactedProvenance(intent.provenance, redact) };
  }
}

const redactedReason = (reason: string | undefined, redact: Redact): { reason?: string } =>
  reason === undefined ? {} : { reason: redact(reason) };

type Provenance = Extract<DecidableIntent, { type: 'operation.apply' }>['provenance'];

function redactedProvenance(provenance: Provenance, redact: Redact): { provenance?: NonNullable<Provenance> } {
  if (!provenance) return {};
  const { user_intent, ticket } = provenance;
  return {
    provenance: {
      ...provenance,
      ...(user_intent === undefined ? {} : { user_intent: redact(user_intent).slice(0, 2000) }),
      ...(ticket === undefined ? {} : { ticket: redact(ticket).slice(0, 200) }),
    },
  };
}
