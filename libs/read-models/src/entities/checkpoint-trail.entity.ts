import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An earlier place of a lane. */
@Entity('checkpoint_trail', { withoutRowid: true })
export class CheckpointTrailEntity {
  @PrimaryColumn('text')
  lane!: string;

  @PrimaryColumn('bigint')
  count!: number;

  @Column('bigint')
  sequence!: number;

  @Column('text', { name: 'event_id' })
  eventId!: string;
}
