import { LOG_STREAM } from '@retrace/contracts';
import { type LaneDelivery, OrderedLanes } from '@retrace/event-log';
import { type NumberedReadModels, ReadModelFolds, type ReadModels } from '@retrace/read-models';
import type { NatsConnection } from '@nats-io/transport-node';
import { laneOfSubject, LANES } from '../lanes.js';
import { foldDelivery } from './fold-delivery.js';
import { LaneFolds } from './lane-folds.js';
import { Progress } from './progress.js';

export interface LogAccess {
  readonly connection: NatsConnection;
  /** Says in the log that a message was passed by, and why. */
  readonly onRejected: (delivery: LaneDelivery, reason: string, error: unknown) => Promise<void>;
  readonly onTrouble: (where: string, error: unknown, delivery?: LaneDelivery) => void;
  /** Waits for a log that lost its tail to be put back. */
  readonly recovered?: ((sequence: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** One database of read models and the lanes that fold the log into it. */
export class Generation {
  private reader: OrderedLanes | undefined;

  private constructor(
    readonly number: number,
    readonly models: ReadModels,
    readonly progress: Progress,
    private readonly lanes: LaneFolds,
    private readonly log: LogAccess,
  ) {}

  /** Takes the read models over: where it rejects they are closed. */
  static async open({ number, models }: NumberedReadModels, log: LogAccess): Promise<Generation> {
    const progress = new Progress();
    try {
      const lanes = await LaneFolds.open(new ReadModelFolds(models), progress, (error, { sequence }) =>
        log.onTrouble(`fold at ${sequence}`, error),
      );
      return new Generation(number, models, progress, lanes, log);
    } catch (error) {
      await models.close().catch(() => undefined);
      throw error;
    }
  }

  /** Reads every event, lane by lane, from where the read models stand. */
  async start(): Promise<void> {
    const { lanes, log } = this;
    const reader = new OrderedLanes(log.connection, {
      stream: LOG_STREAM,
      filters: ['retrace.event.>'],
      laneOf: laneOfSubject,
      lanes: LANES,
      filterOf: (lane) => `retrace.event.${lane}.>`,
      positions: lanes,
      handle: (delivery) => foldDelivery(lanes, delivery),
      onRejected: async (delivery, reason, error) => {
        await log.onRejected(delivery, reason, error);
        await lanes.pass(delivery, false);
      },
      // A fold cannot be taken back a little: the last match helps nobody, the lane is read from the log's beginning.
      onRewind: (lane) => lanes.forget(lane),
      onTrouble: log.onTrouble,
      recovered: log.recovered,
    });
    this.reader = reader;
    await reader.start();
  }

  /** Resolves when nothing is folded any more; questions are still answered. */
  async stop(): Promise<void> {
    await this.reader?.close();
    this.reader = undefined;
    await this.lanes.end();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.models.close();
  }
}
