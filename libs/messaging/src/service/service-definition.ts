import type { ServiceName } from '@retrace/contracts';
import type { EventLog, LogTap, RememberedTail } from '@retrace/event-log';
import type { DynamicModule } from '@nestjs/common';
import type { NatsConnection } from '@nats-io/transport-node';
import type { CallClient } from '../calls/call-client.js';
import type { LocalCalls } from '../calls/local-calls.js';
import type { LaneSource } from '../transport/retrace-transport.js';

/** What every service is given at its start. */
export interface ServiceContext {
  readonly name: ServiceName;
  readonly connection: NatsConnection;
  readonly calls: CallClient;
  readonly log: EventLog;
  /** What the service published lately: put back where the broker loses it. */
  readonly tail: Pick<RememberedTail, 'whenWhole' | 'whenMoved' | 'reached'>;
  /** The service's own folder; nobody else opens what lies there. */
  readonly dataDir: string;
  /** The folder of the whole system, credentials included. */
  readonly home: string;
  readonly durability: Durability;
  /** Takes a lane in while the service runs. */
  readonly addLane: (lane: string) => void;
  /** Begins with the agents' door (policy alone). */
  readonly openIntents: () => Promise<void>;
}

/** `process`: survives any process dying; `power`: synced to the disk before it is acknowledged. */
export type Durability = 'process' | 'power';

/** A service, opened: its module with adapters bound, and the streams it reads. */
export interface OpenedService {
  readonly module: DynamicModule;
  readonly log?: LaneSource;
  readonly intents?: LaneSource;
  /** Runs once the service handles events and calls; resolves when it is ready for work. */
  readonly afterStart?: () => Promise<void>;
  /** Runs when the service is asked to end, before it takes no more calls: what waits for long is to end. */
  readonly beforeClose?: () => void;
  /** Runs when no handler runs any more and the bus is still there: what waits to be published goes out. */
  readonly settle?: () => Promise<void>;
  /** What does not work although the service runs, a line each; told to whoever pings it. */
  readonly problems?: () => readonly string[];
  /** Runs after the last handler ended. */
  readonly close?: () => Promise<void>;
}

export interface ServiceDefinition {
  readonly name: ServiceName;
  open(context: ServiceContext): Promise<OpenedService>;
}

export interface ServiceSettings {
  readonly url: string;
  readonly user: string;
  readonly password: string;
  readonly dataDir: string;
  /** The folder of the whole system (default: `dataDir`). */
  readonly home?: string;
  readonly durability?: Durability;
  readonly localCalls?: LocalCalls;
  /** Shared by the services of a process, which then hear each event once. */
  readonly tap?: LogTap;
}

export interface RunningService {
  readonly name: ServiceName;
  /** Drains: no new work, handlers end, positions are kept, the connection goes. */
  close(): Promise<void>;
}
