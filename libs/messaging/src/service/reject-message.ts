import {
  LOG_STREAM,
  MessageRejected,
  NOBODY,
  parseEventSubject,
  parseIntentSubject,
  type ServiceName,
} from '@retrace/contracts';
import { deriveId, type EventLog, type LaneDelivery } from '@retrace/event-log';

/** Publishes that a service passed a message by, and why. Publishing it twice is seen as once. */
export async function publishRejection(
  log: EventLog,
  service: ServiceName,
  { message, position }: LaneDelivery,
  reason: string,
  error: unknown,
  stream: string = LOG_STREAM,
): Promise<void> {
  const intent = parseIntentSubject(message.subject);
  const workspace = intent?.workspace ?? parseEventSubject(message.subject)?.workspace;
  // A subject without a workspace has no place in the log; the service's own log keeps the warning.
  if (!workspace) return;
  await log.append({
    id: deriveId('evt', service, stream, position.sequence, position.eventId, 'rejected'),
    type: MessageRejected.type,
    source: `retrace/${service}`,
    time: new Date().toISOString(),
    workspace,
    agent: intent?.principal ?? NOBODY,
    data: {
      service,
      stream,
      sequence: position.sequence,
      subject: message.subject,
      rejected_event_id: position.eventId || null,
      reason,
      message: error instanceof Error ? error.message.slice(0, 2000) : reason,
    },
  });
}
