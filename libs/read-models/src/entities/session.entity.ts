import type { EventData, Principal, SessionId, SessionOpened, WorkspaceName } from '@retrace/contracts';
import { Column, Entity, Index, PrimaryColumn } from 'typeorm';

export type SessionStatus = 'active' | 'completed' | 'archived';

/** Session ids are minted by agents: they are unique within a workspace only. */
@Entity('session')
@Index('session_by_agent', ['workspace', 'agent'])
export class SessionEntity {
  @PrimaryColumn('text')
  workspace!: WorkspaceName;

  @PrimaryColumn('text', { name: 'session_id' })
  sessionId!: SessionId;

  @Column('text')
  agent!: Principal;

  @Column('text')
  status!: SessionStatus;

  @Column('text')
  task!: string;

  @Column('text', { name: 'conversation_id', nullable: true })
  conversationId!: string | null;

  @Column('simple-json', { nullable: true })
  model!: EventData<typeof SessionOpened>['model'];

  /** Of the event that opened it. */
  @Column('bigint')
  sequence!: number;

  @Column('text', { name: 'opened_at' })
  openedAt!: string;

  @Column('text', { name: 'completed_at', nullable: true })
  completedAt!: string | null;
}
