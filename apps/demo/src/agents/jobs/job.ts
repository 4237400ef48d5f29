import type { Retrace, Session } from '@retrace/client';
import type { Targets } from '../../targets.js';

export type AgentName = 'researcher' | 'writer' | 'reviewer' | 'tester';

export interface Desk {
  readonly retrace: Retrace;
  readonly session: Session;
  readonly targets: Targets;
  /** Tells the demo that the job is half done: this is when it kills a service. */
  readonly halfway: () => void;
}

/** What one agent does in one session. */
export interface Job {
  readonly agent: AgentName;
  readonly task: string;
  run(desk: Desk): Promise<void>;
}
