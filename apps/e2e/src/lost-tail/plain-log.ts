import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DeliverPolicy, jetstream } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import type { RetraceSystem } from '@retrace/testing';

/** An event as the plain client reads it. */
export interface PlainEvent {
  readonly sequence: number;
  readonly id: string;
  readonly type: string;
  readonly cause: string;
  readonly intent: string;
  readonly data: Record<string, unknown>;
}

/** A connection as one of the services. */
export function connectAs(system: RetraceSystem, service: string, url = system.url): Promise<NatsConnection> {
  const table = JSON.parse(readFileSync(join(system.home.nats, 'credentials.json'), 'utf8')) as {
    services: Record<string, { user: string; password: string }>;
  };
  const { user, password } = table.services[service]!;
  return connect({ servers: url, user, pass: password });
}

/** The whole log. */
export async function readLog(system: RetraceSystem): Promise<PlainEvent[]> {
  const connection = await connectAs(system, 'projection');
  try {
    const consumer = await jetstream(connection).consumers.get('RETRACE', { deliver_policy: DeliverPolicy.All });
    const { num_pending } = await consumer.info();
    const events: PlainEvent[] = [];
    for await (const message of await consumer.consume()) {
      const header = (name: string): string => message.headers?.get(name) ?? '';
      events.push({
        sequence: message.seq,
        id: header('ce-id'),
        type: header('ce-type'),
        cause: header('ce-causationid'),
        intent: header('ce-correlationid'),
        data: message.json(),
      });
      if (events.length >= num_pending) return events;
    }
    throw new Error('the log ended early');
  } finally {
    await connection.close();
  }
}

interface Recorded {
  readonly path: { readonly canonical: string };
  readonly state_snapshot_after: { readonly state: { kind: string; hash?: string; mode?: number } };
}

/** What stands where, by the applied operations alone: as `treeOf` says it. */
export function replayed(events: readonly PlainEvent[], before: Readonly<Record<string, string>>) {
  const tree: Record<string, string> = { ...before };
  for (const { type, data } of events) {
    if (type !== 'retrace.operation.applied.v1') continue;
    for (const { path, state_snapshot_after } of data.operations as Recorded[]) {
      const { kind, hash, mode = 0 } = state_snapshot_after.state;
      if (kind === 'absent') delete tree[path.canonical];
      else tree[path.canonical] = `${kind === 'file' ? 'file' : 'folder'} ${mode.toString(8)}${hash ? ` ${hash}` : ''}`;
    }
  }
  return tree;
}
