import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { Broker, eventually } from '../broker.testing.js';
import { newId } from '../new-id.js';
import { ensureStreams } from '../streams.js';
import type { LaneOptions } from './lane-options.js';
import { laneOptions, type LaneStore } from './lane-store.testing.js';
import { LogTap } from '../tap/log-tap.js';
import { TapSource } from '../tap/tap-source.js';
import { ConsumerSource } from './consumer-source.js';
import type { MessageSource } from './message-source.js';
import { OrderedLanes } from './ordered-lanes.js';

/** The two ways in which lanes hear of messages. */
export const HEARINGS = ['by consumers of their own', 'at a shared tap'] as const;
export type Hearing = (typeof HEARINGS)[number];

/** A broker, writers of lanes, and readers that are closed with it. */
export class LaneBed {
  private readonly readers: OrderedLanes[] = [];
  readonly troubles: unknown[] = [];

  private readonly taps: LogTap[] = [];

  private constructor(
    readonly broker: Broker,
    readonly connection: NatsConnection,
    private readonly hearing: Hearing,
  ) {}

  static async open(hearing: Hearing = HEARINGS[0]): Promise<LaneBed> {
    const broker = await Broker.start();
    return new LaneBed(broker, await broker.connect(), hearing);
  }

  /** New streams: the log refuses to be purged. */
  async empty(): Promise<void> {
    const jsm = await jetstreamManager(this.connection);
    for await (const { config } of jsm.streams.list()) await jsm.streams.delete(config.name);
    await ensureStreams(jsm);
  }

  /** Writes each text as an event of the lane, and waits until the log has it. */
  async write(lane: string, ...texts: string[]): Promise<void> {
    for (const text of texts) await this.writePage(lane, newId('evt'), undefined, text);
  }

  /** Writes one message with an id and a page of the spec's choice: half an event where the spec wants one. */
  async writePage(lane: string, id: string, page: string | undefined, text: string): Promise<void> {
    const meta = headers();
    meta.set('ce-id', id);
    if (page !== undefined) meta.set('ce-page', page);
    await jetstream(this.connection).publish(`retrace.event.${lane}.ws.agent.a.b`, text, { headers: meta });
  }

  /** Writes an event in as many pages as there are texts. */
  async writePages(lane: string, id: string, ...texts: string[]): Promise<void> {
    for (const [i, text] of texts.entries()) await this.writePage(lane, id, `${i + 1}/${texts.length}`, text);
  }

  async read(store: LaneStore, lanes: readonly string[], more: Partial<LaneOptions> = {}): Promise<OrderedLanes> {
    const onTrouble = (_: string, error: unknown): void => void this.troubles.push(error);
    const source = await this.source(more.stream);
    const reader = new OrderedLanes(this.connection, { source, ...laneOptions(store, lanes, more), onTrouble });
    this.readers.push(reader);
    await reader.start();
    return reader;
  }

  private async source(stream = 'RETRACE'): Promise<MessageSource> {
    const own = new ConsumerSource(this.connection, stream);
    if (this.hearing === 'by consumers of their own' || stream !== 'RETRACE') return own;
    this.taps.push(await LogTap.open(this.connection));
    return new TapSource(this.taps.at(-1)!, own);
  }

  async closeReaders(): Promise<void> {
    await Promise.all(this.readers.splice(0).map((reader) => reader.close()));
    for (const tap of this.taps.splice(0)) tap.close();
  }

  /** Kills the broker and brings it back, with another store if asked; resolves when it answers. */
  async crash(meanwhile: () => Promise<void> = () => Promise.resolve()): Promise<void> {
    const back = reconnected(this.connection);
    await this.broker.kill();
    await meanwhile();
    await this.broker.restart();
    await back;
    const jsm = await jetstreamManager(this.connection, { checkAPI: false });
    await eventually(() => jsm.streams.info('RETRACE'));
  }

  async close(): Promise<void> {
    await this.closeReaders();
    await this.broker.stop();
  }
}

async function reconnected(connection: NatsConnection): Promise<void> {
  for await (const { type } of connection.status()) if (type === 'reconnect') return;
}

export const numbered = (count: number, from = 1, prefix = ''): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${from + i}`);
