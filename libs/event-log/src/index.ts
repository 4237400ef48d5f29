export { deriveId, newId } from './new-id.js';
export {
  type Appended,
  AppendUnknown,
  appendOnce,
  type EventLog,
  ReadCut,
  type ReadOptions,
} from './event-log.port.js';
export { ensureStreams, INTENT_BYTES, MAX_WAITING_INTENTS, type StreamOptions } from './streams.js';
export { subjectMatches } from './subject-matches.js';
export { encodePages, MAX_PAGES, PAGE_BYTES } from './pages/encode-pages.js';
export { type LogMessage, type WholeMessage } from './pages/join-pages.js';
export { PageJoiner } from './pages/page-joiner.js';
export { decodeMessages } from './pages/decode-pages.js';
export { AckedPublisher, type PublishAck } from './adapters/jetstream/acked-publisher.js';
export { JetStreamEventLog } from './adapters/jetstream/jetstream-event-log.js';
export { newestWhole } from './newest-whole.js';
export { StreamEnds } from './stream-ends.js';
export { openEnvironment } from './adapters/lmdb/open-environment.js';
export { FoldBatch } from './adapters/lmdb/fold-batch.js';
export { LmdbPositions } from './adapters/lmdb/lmdb-positions.js';
export { type Position, type PositionStore } from './lanes/position.js';
export { type Backoff, type Settlement, settlementFor, TERMINAL, TerminalError } from './lanes/terminal-error.js';
export { type LaneDelivery, type LaneOptions } from './lanes/lane-options.js';
export { OrderedLanes } from './lanes/ordered-lanes.js';
export { ConsumerSource } from './lanes/consumer-source.js';
export { type LaneMessage } from './lanes/lane-message.js';
export { type MessageSource } from './lanes/message-source.js';
export { LogTap } from './tap/log-tap.js';
export { TapSource } from './tap/tap-source.js';
export { RememberedTail } from './tail/remembered-tail.js';
export { DEFAULT_TAIL_LIMITS, type TailLimits, TailStore } from './tail/tail-store.js';
