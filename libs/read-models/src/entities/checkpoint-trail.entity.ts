import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An earlier place of a lane. */
@Entity('checkpoint_trail')
export class CheckpointTrailEntity {
  @PrimaryColumn('text')
  lane!: string;

  @PrimaryColumn('integer')
  count!: number;

  @Column('integer')
  sequence!: number;

  @Column('text', { name: 'event_id' })
  eventId!: string;
}
