import { LOG_STREAM, PARTITIONS } from '@retrace/contracts';
import { type LaneSource, publishRejection, type ServiceContext } from '@retrace/messaging';
import type { SeenContents } from './seen-contents.js';

/** One lane per partition: the third token of an event's subject. */
export const seenLanes = ({ log, name }: ServiceContext, seen: SeenContents): LaneSource => ({
  stream: LOG_STREAM,
  filters: ['retrace.event.*.*.*.operation.applied'],
  laneOf: (subject) => subject.split('.')[2],
  lanes: Array.from({ length: PARTITIONS }, (_, partition) => String(partition)),
  filterOf: (lane) => `retrace.event.${lane}.>`,
  positions: seen.positions,
  onRejected: async (delivery, reason, error) => {
    await publishRejection(log, name, delivery, reason, error);
    seen.pass(delivery.lane, delivery.position);
  },
  onRewind: async (lane, lastMatching) => seen.rewind(lane, lastMatching),
});
