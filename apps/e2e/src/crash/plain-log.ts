import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeliverPolicy, jetstream, jetstreamManager, type JsMsg } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';

/** An event as it stands in the stream; pages put together. */
export interface Logged {
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly workspace: string;
  readonly intent: string;
  readonly data: Record<string, unknown>;
}

const STREAM = 'RETRACE';
const CHUNK = 512 * 1024;

/** Reads the log and contents with the plain client, and knows nothing of how services do. */
export class PlainBus {
  private constructor(private readonly connection: NatsConnection) {}

  static async connect(url: string, home: string): Promise<PlainBus> {
    const { services } = JSON.parse(readFileSync(join(home, 'nats', 'credentials.json'), 'utf8')) as {
      services: Record<string, { user: string; password: string }>;
    };
    const { user, password } = services['policy']!;
    return new PlainBus(await connect({ servers: url, user, pass: password }));
  }

  /** The whole log as it stands now. */
  async log(): Promise<Logged[]> {
    const jsm = await jetstreamManager(this.connection, { checkAPI: false });
    const last = (await jsm.streams.info(STREAM)).state.last_seq;
    const consumer = await jetstream(this.connection).consumers.get(STREAM, { deliver_policy: DeliverPolicy.All });
    const messages: JsMsg[] = [];
    const reading = await consumer.consume({ max_messages: 1000 });
    for await (const message of reading) {
      messages.push(message);
      if (message.seq >= last) break;
    }
    reading.stop();
    return messages.filter((message) => isLast(message)).map((message) => logged(message, pagesOf(message, messages)));
  }

  /** A content by its hash, from the store's only door. Throws what the store answers. */
  async blob(hash: string): Promise<Buffer> {
    const chunks: Buffer[] = [];
    for (let offset = 0; ; offset += CHUNK) {
      const request = JSON.stringify({ hash, offset, length: CHUNK });
      const answer = await this.connection.request('retrace.svc._.blob.get', request, { timeout: 2_000 });
      if (answer.headers?.get('Retrace-Error')) throw new Error(`${hash}: ${answer.string()}`);
      chunks.push(Buffer.from(answer.data));
      if (answer.data.length < CHUNK) return Buffer.concat(chunks);
    }
  }

  close(): Promise<void> {
    return this.connection.close();
  }
}

const header = (message: JsMsg, name: string): string => message.headers?.get(name) ?? '';
const pageOf = (message: JsMsg): [number, number] => {
  const [number, count] = (header(message, 'ce-page') || '1/1').split('/').map(Number);
  return [number!, count!];
};
const isLast = (message: JsMsg): boolean => pageOf(message)[0] === pageOf(message)[1];

/** Pages stand next to each other. Throws where one is missing. */
function pagesOf(last: JsMsg, messages: readonly JsMsg[]): JsMsg[] {
  const at = last.seq - messages[0]!.seq;
  const pages = messages.slice(at + 1 - pageOf(last)[1], at + 1);
  if (
    pages.some(
      (page, i) => page.seq !== last.seq - pages.length + 1 + i || header(page, 'ce-id') !== header(last, 'ce-id'),
    )
  )
    throw new Error(`the pages before ${last.seq} are not those of one event`);
  return pages;
}

function logged(message: JsMsg, pages: readonly JsMsg[]): Logged {
  const parts = pages.map((page) => page.json<Record<string, unknown>>());
  const data = parts.at(-1)!;
  for (const paged of ['operations', 'restored', 'steps'])
    if (parts.length > 1 && Array.isArray(data[paged])) data[paged] = parts.flatMap((part) => part[paged] as unknown[]);
  return {
    sequence: message.seq,
    id: header(message, 'ce-id'),
    type: header(message, 'ce-type'),
    workspace: message.subject.split('.')[3]!,
    intent: header(message, 'ce-correlationid'),
    data,
  };
}
