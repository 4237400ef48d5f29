import { LOG_STREAM } from '@retrace/contracts';
import type { EventLog } from '@retrace/event-log';
import { type LaneSource, publishRejection } from '@retrace/messaging';
import type { LaneFolds } from './folding/lane-folds.js';
import { laneOfSubject, LANES } from './lanes.js';

/** Projection reads every event, lane by lane, from where the read models stand. */
export const logLanes = (log: EventLog, lanes: LaneFolds): LaneSource => ({
  stream: LOG_STREAM,
  filters: ['retrace.event.>'],
  laneOf: laneOfSubject,
  lanes: LANES,
  filterOf: (lane) => `retrace.event.${lane}.>`,
  positions: lanes,
  onRejected: async (delivery, reason, error) => {
    await publishRejection(log, 'projection', delivery, reason, error);
    await lanes.pass(delivery);
  },
  // A fold cannot be taken back a little: the last match helps nobody, the lane is read from the log's beginning.
  onRewind: (lane) => lanes.forget(lane),
});
