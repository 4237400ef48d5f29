import type { MessageRejected, StoredEvent } from '@retrace/contracts';
import type { RejectedMessageEntity } from '../entities/rejected-message.entity.js';
import type { RowOf } from '../entities/row-of.js';

export function messageRejected(
  row: RowOf<RejectedMessageEntity> | undefined,
  { workspace, id: eventId, sequence, time, data }: StoredEvent<typeof MessageRejected>,
): RowOf<RejectedMessageEntity> {
  const { service, stream, sequence: rejectedSequence, subject, reason, message } = data;
  const rejectedEventId = data.rejected_event_id;
  return (
    row ?? {
      workspace,
      eventId,
      sequence,
      time,
      service,
      stream,
      rejectedSequence,
      rejectedEventId,
      subject,
      reason,
      message,
    }
  );
}
