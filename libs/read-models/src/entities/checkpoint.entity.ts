import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Where a lane stands; changed in the transaction of the rows that it stands for. */
@Entity('checkpoint', { withoutRowid: true })
export class CheckpointEntity {
  @PrimaryColumn('text')
  lane!: string;

  @Column('bigint')
  sequence!: number;

  /** Of the event at `sequence`; empty where it had none. */
  @Column('text', { name: 'event_id' })
  eventId!: string;

  /** Events of the lane up to here, whatever became of them. */
  @Column('bigint')
  count!: number;

  /** Messages of the lane up to here: a large event has several. */
  @Column('bigint')
  messages!: number;

  /** Events of kinds that this version does not know, passed by. */
  @Column('bigint')
  unknown!: number;
}
