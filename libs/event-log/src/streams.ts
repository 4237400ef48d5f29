import { INTENT_STREAM, LOG_STREAM, MAX_INTENT_BYTES, RetraceError } from '@retrace/contracts';
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
  // An event that is too large for one message is appended page by page, all or none.
  allow_atomic: true,
  num_replicas: replicas,
  // What a subscriber sees is what was stored, never a refused publish; the sequence stands in `Nats-Sequence`.
  republish: { src: 'retrace.event.*.*.*.>', dest: 'retrace.out.{{wildcard(2)}}.{{wildcard(3)}}.>' },
});

/**
 * Creates both streams, or leaves them as they are (but a log that took no atomic batches takes them now): safe to run at every start and from several places at once.
 * Throws `unavailable` where a log of that name could lose events or tells nobody of them.
 */
export async function ensureStreams(jsm: JetStreamManager, { replicas = 1 }: StreamOptions = {}): Promise<void> {
  for (const config of [intentStream(replicas), logStream(replicas)]) await ensureStream(jsm, config);
}

const STREAM_NOT_FOUND = 10059;
const NAME_IN_USE = 10058;

async function ensureStream(jsm: JetStreamManager, config: Partial<StreamConfig> & { name: string }): Promise<void> {
  try {
    const found = (await jsm.streams.info(config.name)).config;
    refuseUnfit(found);
    // A log of before there were pages: it takes them from now on, and loses nothing.
    if (config.allow_atomic && !found.allow_atomic) await jsm.streams.update(config.name, { allow_atomic: true });
  } catch (error) {
    if (codeOf(error) !== STREAM_NOT_FOUND) throw error;
    // Somebody else may create it between the look and the call.
    await jsm.streams.add(config).catch((raced: unknown) => {
      if (codeOf(raced) !== NAME_IN_USE) throw raced;
    });
  }
}

/** A log that can lose events, or that tells nobody of them, is not taken for ours; limits of the door may differ. */
function refuseUnfit({ name, ...found }: StreamConfig): void {
  if (name !== LOG_STREAM) return;
  const wanted = logStream(found.num_replicas);
  const unfit = (['deny_delete', 'deny_purge', 'allow_direct'] as const).filter(
    (field) => found[field] !== wanted[field],
  );
  const limits = (['max_msgs', 'max_bytes', 'max_age'] as const).filter((field) => found[field] > 0);
  const republish = found.republish?.src === wanted.republish?.src && found.republish?.dest === wanted.republish?.dest;
  const wrong = [...unfit, ...limits, ...(republish ? [] : ['republish'])];
  if (wrong.length === 0) return;
  throw new RetraceError(
    'unavailable',
    `the stream ${name} on this server is not the log as Retrace makes it (${wrong.join(', ')}); use another server, or account`,
  );
}

const codeOf = (error: unknown): unknown => (error as { code?: unknown }).code;
