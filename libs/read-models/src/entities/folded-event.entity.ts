import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An event that changed the rows: stored in the log a second time, it changes nothing. */
@Entity('folded_event', { withoutRowid: true })
export class FoldedEventEntity {
  @PrimaryColumn('text')
  lane!: string;

  @PrimaryColumn('text', { name: 'event_id' })
  eventId!: string;

  @Column('bigint')
  sequence!: number;
}
