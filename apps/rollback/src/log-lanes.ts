import { LOG_STREAM, PARTITIONS } from '@retrace/contracts';
import { type LaneSource, publishRejection, type ServiceContext } from '@retrace/messaging';
import type { PositionStore } from '@retrace/event-log';
import { FOLDED } from './folding/folded-events.js';
import type { FoldStore } from './ports/fold-store.port.js';

/** One lane per partition: the third token of an event's subject. */
export const logLanes = ({ log }: ServiceContext, store: FoldStore, positions: PositionStore): LaneSource => ({
  stream: LOG_STREAM,
  filters: FOLDED.map((event) => `retrace.event.*.*.*.${event}`),
  laneOf: (subject) => subject.split('.')[2],
  lanes: Array.from({ length: PARTITIONS }, (_, partition) => String(partition)),
  filterOf: (lane) => `retrace.event.${lane}.>`,
  positions,
  onRejected: async (delivery, reason, error) => {
    await publishRejection(log, 'rollback', delivery, reason, error);
    store.pass(delivery.lane, delivery.position);
  },
  // Everything folded follows from the log: folding it again is simpler than undoing a part of it, and as right.
  onRewind: async (lane) => store.forget(lane),
});
