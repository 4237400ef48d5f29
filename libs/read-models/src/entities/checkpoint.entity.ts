import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Where a lane stands; changed in the transaction of the rows that it stands for. */
@Entity('checkpoint')
export class CheckpointEntity {
  @PrimaryColumn('text')
  lane!: string;

  @Column('integer')
  sequence!: number;

  /** Of the event at `sequence`; empty where it had none. */
  @Column('text', { name: 'event_id' })
  eventId!: string;

  /** Messages of the lane up to here. */
  @Column('integer')
  count!: number;
}
