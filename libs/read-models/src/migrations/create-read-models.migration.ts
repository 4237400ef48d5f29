import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = {
  workspace: `workspace text NOT NULL, root text, host text, registered_by text, policy text,
    policy_version integer NOT NULL, PRIMARY KEY (workspace)`,
  member: `workspace text NOT NULL, member text NOT NULL, added_by text NOT NULL, sequence integer NOT NULL,
    PRIMARY KEY (workspace, member)`,
  policy: `workspace text NOT NULL, version integer NOT NULL, name text NOT NULL, yaml text NOT NULL,
    published_by text NOT NULL, sequence integer NOT NULL, time text NOT NULL, PRIMARY KEY (workspace, version)`,
  session: `workspace text NOT NULL, session_id text NOT NULL, agent text NOT NULL, status text NOT NULL,
    task text NOT NULL, conversation_id text, model text, sequence integer NOT NULL, opened_at text NOT NULL,
    completed_at text, PRIMARY KEY (workspace, session_id)`,
  logical_operation: `workspace text NOT NULL, logical_operation_id text NOT NULL, intent_id text NOT NULL,
    agent text NOT NULL, session_id text, rollback_id text, kind text NOT NULL, status text NOT NULL,
    sequence integer, time text, tool text, reason text, code text, message text, rule text, policy_version integer,
    planned text NOT NULL, PRIMARY KEY (workspace, logical_operation_id)`,
  touched_path: `workspace text NOT NULL, path text NOT NULL, logical_operation_id text NOT NULL,
    PRIMARY KEY (workspace, path, logical_operation_id)`,
  operation: `workspace text NOT NULL, operation_id text NOT NULL, logical_operation_id text NOT NULL,
    agent text NOT NULL, session_id text, kind text NOT NULL, action text NOT NULL, path text NOT NULL,
    sequence integer NOT NULL, time text NOT NULL, part integer NOT NULL, place integer NOT NULL, record text NOT NULL,
    compensates text NOT NULL, undone_by text NOT NULL, PRIMARY KEY (workspace, operation_id)`,
  file: `workspace text NOT NULL, path text NOT NULL, state text NOT NULL, sequence integer NOT NULL,
    operation_id text NOT NULL, agent text NOT NULL, PRIMARY KEY (workspace, path)`,
  version: `workspace text NOT NULL, path text NOT NULL, sequence integer NOT NULL, place integer NOT NULL,
    state text NOT NULL, operation_id text NOT NULL, agent text NOT NULL,
    PRIMARY KEY (workspace, path, sequence, place)`,
  decision: `workspace text NOT NULL, agent text NOT NULL, intent_id text NOT NULL, attempt integer NOT NULL,
    outcome text NOT NULL, intent_type text NOT NULL, session_id text, logical_operation_id text,
    sequence integer NOT NULL, time text NOT NULL, code text, message text, rule text, policy_version integer,
    path text, action text, reason text, PRIMARY KEY (workspace, agent, intent_id, attempt)`,
  outcome: `workspace text NOT NULL, agent text NOT NULL, intent_id text NOT NULL, attempt integer NOT NULL,
    status text NOT NULL, sequence integer NOT NULL, logical_operation_id text, type text, data text,
    PRIMARY KEY (workspace, agent, intent_id)`,
  rollback: `workspace text NOT NULL, rollback_id text NOT NULL, logical_operation_id text NOT NULL,
    intent_id text NOT NULL, requested_by text NOT NULL, plan_hash text NOT NULL, reason text, status text NOT NULL,
    parts integer, report text, sequence integer NOT NULL, time text NOT NULL, PRIMARY KEY (workspace, rollback_id)`,
  rejected_message: `workspace text NOT NULL, event_id text NOT NULL, sequence integer NOT NULL, time text NOT NULL,
    service text NOT NULL, stream text NOT NULL, rejected_sequence integer NOT NULL, rejected_event_id text,
    subject text NOT NULL, reason text NOT NULL, message text NOT NULL, PRIMARY KEY (workspace, event_id)`,
  checkpoint: `lane text NOT NULL, sequence integer NOT NULL, event_id text NOT NULL, count integer NOT NULL,
    PRIMARY KEY (lane)`,
  checkpoint_trail: `lane text NOT NULL, count integer NOT NULL, sequence integer NOT NULL, event_id text NOT NULL,
    PRIMARY KEY (lane, count)`,
  folded_event: `lane text NOT NULL, event_id text NOT NULL, sequence integer NOT NULL, PRIMARY KEY (lane, event_id)`,
};

const INDEXES = {
  session_by_agent: 'session (workspace, agent)',
  logical_operation_by_sequence: 'logical_operation (workspace, sequence)',
  logical_operation_by_agent: 'logical_operation (workspace, agent, sequence)',
  logical_operation_by_session: 'logical_operation (workspace, session_id, sequence)',
  logical_operation_by_status: 'logical_operation (workspace, status)',
  operation_by_logical_operation: 'operation (workspace, logical_operation_id, part, place)',
  operation_by_session: 'operation (workspace, session_id, kind)',
  operation_by_id: 'operation (operation_id)',
  operation_by_logical_operation_id: 'operation (logical_operation_id)',
  version_by_operation: 'version (workspace, operation_id)',
  decision_by_sequence: 'decision (workspace, outcome, sequence)',
  decision_by_agent: 'decision (workspace, outcome, agent, sequence)',
  outcome_by_intent: 'outcome (workspace, intent_id)',
};

export class CreateReadModels1767225600000 implements MigrationInterface {
  // TypeORM finds the time in the name, which a minifier would take away.
  readonly name = 'CreateReadModels1767225600000';

  async up(runner: QueryRunner): Promise<void> {
    for (const [name, columns] of Object.entries(TABLES)) await runner.query(`CREATE TABLE "${name}" (${columns})`);
    for (const [name, columns] of Object.entries(INDEXES)) await runner.query(`CREATE INDEX "${name}" ON ${columns}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const name of Object.keys(TABLES)) await runner.query(`DROP TABLE "${name}"`);
  }
}
