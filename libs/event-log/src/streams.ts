import { INTENT_STREAM, LOG_STREAM, MAX_INTENT_BYTES } from '@retrace/contracts';
import {
  DiscardPolicy,
  type JetStreamManager,
  RetentionPolicy,
  StorageType,
  type StreamConfig,
} from '@nats-io/jetstream';

const NANOS = 1_000_000_000;
/** Undecided intents of one agent in one workspace; a further publish is refused. */
export const MAX_WAITING_INTENTS = 10_000;

/** Bytes of all undecided intents together; the broker sets them aside when the stream is made. */
export const INTENT_BYTES = 128 * 1024 * 1024;

export interface StreamOptions {
  /** 1 on one machine, 3 in a cluster. */
  readonly replicas?: number;
}

const intentStream = (replicas: number): Partial<StreamConfig> & { name: string } => ({
  name: INTENT_STREAM,
  subjects: ['retrace.intent.>'],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  discard: DiscardPolicy.New,
  discard_new_per_subject: true,
  max_msgs_per_subject: MAX_WAITING_INTENTS,
  max_bytes: INTENT_BYTES,
  // Headers count as well; the intent itself is measured again by policy, which can say so.
  max_msg_size: MAX_INTENT_BYTES + 16 * 1024,
  max_age: 7 * 24 * 3600 * NANOS,
  num_replicas: replicas,
});

const logStream = (replicas: number): Partial<StreamConfig> & { name: string } => ({
  name: LOG_STREAM,
  subjects: ['retrace.event.>'],
  storage: StorageType.File,
  retention: RetentionPolicy.Limits,
  deny_delete: true,
  deny_purge: true,
  allow_direct: true,
  num_replicas: replicas,
  // What a subscriber sees is what was stored, never a refused publish; the sequence stands in `Nats-Sequence`.
  republish: { src: 'retrace.event.*.*.*.>', dest: 'retrace.out.{{wildcard(2)}}.{{wildcard(3)}}.>' },
});

/** Creates both streams, or leaves them as they are: safe to run at every start and from several places at once. */
export async function ensureStreams(jsm: JetStreamManager, { replicas = 1 }: StreamOptions = {}): Promise<void> {
  for (const config of [intentStream(replicas), logStream(replicas)]) await ensureStream(jsm, config);
}

const STREAM_NOT_FOUND = 10059;
const NAME_IN_USE = 10058;

async function ensureStream(jsm: JetStreamManager, config: Partial<StreamConfig> & { name: string }): Promise<void> {
  try {
    await jsm.streams.info(config.name);
  } catch (error) {
    if (codeOf(error) !== STREAM_NOT_FOUND) throw error;
    // Somebody else may create it between the look and the call.
    await jsm.streams.add(config).catch((raced: unknown) => {
      if (codeOf(raced) !== NAME_IN_USE) throw raced;
    });
  }
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
