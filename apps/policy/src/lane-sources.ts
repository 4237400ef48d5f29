import { INTENT_STREAM, LOG_STREAM, parseIntentSubject, PARTITIONS } from '@retrace/contracts';
import type { EventLog } from '@retrace/event-log';
import { type LaneSource, publishRejection } from '@retrace/messaging';
import { FOLDED_EVENTS } from './domain/fold-event.js';
import type { Intake } from './intake/intake.js';
import type { PolicyStore } from './ports/policy-store.port.js';
import type { FoldGate } from './state/fold-gate.js';
import type { PolicyState } from './state/policy-state.js';

export const LANES: readonly string[] = Array.from({ length: PARTITIONS }, (_, index) => String(index));

/** The log, one lane per partition. A lane that must go back forgets everything and is closed until it is folded again. */
export const logSource = (store: PolicyStore, state: PolicyState, gate: FoldGate, log: EventLog): LaneSource => ({
  stream: LOG_STREAM,
  filters: FOLDED_EVENTS.map(({ entity, verb }) => `retrace.event.*.*.*.${entity}.${verb}`),
  lanes: LANES,
  laneOf: (subject) => subject.split('.')[2],
  filterOf: (lane) => `retrace.event.${lane}.>`,
  positions: store.positions,
  onRejected: async (delivery, reason, error) => {
    await publishRejection(log, 'policy', delivery, reason, error);
    state.skip(delivery.lane, delivery.position);
  },
  onRewind: (lane) => {
    state.forget(lane);
    gate.close(lane);
    return Promise.resolve();
  },
});

/** The agents' door, in one lane from its first message: what is answered is skipped, so no position is kept. */
export const intentSource = (state: PolicyState, intake: Intake, log: EventLog): LaneSource => ({
  stream: INTENT_STREAM,
  filters: ['retrace.intent.>'],
  lanes: ['in'],
  laneOf: () => 'in',
  filterOf: () => 'retrace.intent.>',
  positions: { load: () => undefined },
  verify: false,
  eventId: () => undefined,
  onRejected: async (delivery, reason, error) => {
    const { sequence } = delivery.position;
    const workspace = parseIntentSubject(delivery.message.subject)?.workspace;
    const said = workspace !== undefined && state.get('rejected', [workspace, sequence]) !== undefined;
    if (!said) await publishRejection(log, 'policy', delivery, reason, error, INTENT_STREAM);
    intake.passedBy(sequence);
  },
  onRewind: () => Promise.resolve(),
});
