import type { EventId, WorkspaceName } from '@retrace/contracts';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A message that a service passed by. */
@Entity('rejected_message')
export class RejectedMessageEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text', { name: 'event_id' })
  eventId!: EventId;

  @Column('bigint')
  sequence!: number;

  @Column('text')
  time!: string;

  @Column('text')
  service!: string;

  @Column('text')
  stream!: string;

  @Column('bigint', { name: 'rejected_sequence' })
  rejectedSequence!: number;

  @Column('text', { name: 'rejected_event_id', nullable: true })
  rejectedEventId!: string | null;

  @Column('text')
  subject!: string;

  @Column('text')
  reason!: string;

  @Column('text')
  message!: string;
}
