import type { MigrationInterface, QueryRunner } from 'typeorm';

const TABLES = {
  workspace: `workspace text NOT NULL, root text, host text, registered_by text, policy text,
    policy_version integer NOT NULL, baseline text, PRIMARY KEY (workspace)`,
  member: `workspace text NOT NULL, member text NOT NULL, added_by text NOT NULL, sequence bigint NOT NULL,
    PRIMARY KEY (workspace, member)`,
  policy: `workspace text NOT NULL, version integer NOT NULL, name text NOT NULL, yaml text NOT NULL,
    published_by text NOT NULL, sequence bigint NOT NULL, time text NOT NULL, PRIMARY KEY (workspace, version)`,
  session: `workspace text NOT NULL, session_id text NOT NULL, agent text NOT NULL, status text NOT NULL,
    task text NOT NULL, conversation_id text, model text, sequence bigint NOT NULL, opened_at text NOT NULL,
    completed_at text, PRIMARY KEY (workspace, session_id)`,
  logical_operation: `workspace text NOT NULL, logical_operation_id text NOT NULL, intent_id text NOT NULL,
    agent text NOT NULL, session_id text, rollback_id text, kind text NOT NULL, status text NOT NULL, opening text,
    sequence bigint, time text, time_ms bigint, tool text, reason text, code text, message text, failure text,
    rule text, policy_version integer, operation_count integer NOT NULL, path_count integer NOT NULL,
    live_count integer NOT NULL, undone_by text, PRIMARY KEY (workspace, logical_operation_id)`,
  planned_part: `workspace text NOT NULL, logical_operation_id text NOT NULL, part integer NOT NULL,
    operations text NOT NULL, operation_count integer NOT NULL, path_count integer NOT NULL, paths text NOT NULL,
    PRIMARY KEY (workspace, logical_operation_id, part)`,
  touched_path: `workspace text NOT NULL, path_key text NOT NULL, logical_operation_id text NOT NULL,
    action text NOT NULL, path text NOT NULL, PRIMARY KEY (workspace, path_key, logical_operation_id, action)`,
  operation: `operation_id text NOT NULL, workspace text NOT NULL, repeated integer NOT NULL,
    logical_operation_id text NOT NULL, agent text NOT NULL, session_id text, kind text NOT NULL, action text NOT NULL, path text NOT NULL,
    path_key text NOT NULL, sequence bigint NOT NULL, time text NOT NULL, ordinal integer NOT NULL, asked integer,
    part_of text, paths integer NOT NULL, live_paths integer NOT NULL, moved_from text, copied_from text,
    record text NOT NULL, compensates text NOT NULL, undone_by text NOT NULL, 
    PRIMARY KEY (operation_id, workspace, repeated)`,
  denial: `workspace text NOT NULL, agent text NOT NULL, intent_id text NOT NULL, attempt integer NOT NULL,
    intent_type text NOT NULL, session_id text, sequence bigint NOT NULL, time text NOT NULL, time_ms bigint NOT NULL,
    code text NOT NULL, message text NOT NULL, rule text, policy_version integer, path text, action text, reason text,
    PRIMARY KEY (workspace, agent, intent_id, attempt)`,
  outcome: `workspace text NOT NULL, intent_id text NOT NULL, agent text NOT NULL, attempt integer NOT NULL,
    status text NOT NULL, sequence bigint NOT NULL, logical_operation_id text, type text, data text,
    PRIMARY KEY (workspace, intent_id, agent)`,
  rollback: `workspace text NOT NULL, rollback_id text NOT NULL, logical_operation_id text NOT NULL,
    intent_id text NOT NULL, requested_by text NOT NULL, plan_hash text, reason text, status text NOT NULL,
    parts integer, report text, sequence bigint NOT NULL, time text NOT NULL, PRIMARY KEY (workspace, rollback_id)`,
  rejected_message: `workspace text NOT NULL, event_id text NOT NULL, sequence bigint NOT NULL, time text NOT NULL,
    service text NOT NULL, stream text NOT NULL, rejected_sequence bigint NOT NULL, rejected_event_id text,
    subject text NOT NULL, reason text NOT NULL, message text NOT NULL, PRIMARY KEY (workspace, event_id)`,
  checkpoint: `lane text NOT NULL, sequence bigint NOT NULL, event_id text NOT NULL, count bigint NOT NULL,
    messages bigint NOT NULL, unknown bigint NOT NULL, PRIMARY KEY (lane)`,
  checkpoint_trail: `lane text NOT NULL, count bigint NOT NULL, sequence bigint NOT NULL, event_id text NOT NULL,
    PRIMARY KEY (lane, count)`,
  folded_event: `lane text NOT NULL, event_id text NOT NULL, sequence bigint NOT NULL, PRIMARY KEY (lane, event_id)`,
};

/**
 * Of SQLite: rows lie in the tree of their key. Short ones, and those that are found by nothing else; each tree less is a
 * page less that a transaction writes.
 */
const BY_KEY = ['outcome', 'planned_part', 'touched_path', 'checkpoint', 'checkpoint_trail', 'folded_event'];

const ENDED = 'sequence IS NOT NULL';

const INDEXES: Readonly<Record<string, readonly [table: string, columns: string, where?: string]>> = {
  session_by_agent: ['session', 'workspace, agent'],
  logical_operation_by_sequence: ['logical_operation', 'workspace, sequence, status', ENDED],
  logical_operation_by_agent: ['logical_operation', 'workspace, agent, sequence', ENDED],
  logical_operation_by_session: ['logical_operation', 'workspace, session_id, sequence', ENDED],
  touched_path_by_logical_operation: ['touched_path', 'logical_operation_id, workspace'],
  operation_by_logical_operation: ['operation', 'logical_operation_id, workspace, ordinal'],
  operation_asked: ['operation', 'logical_operation_id, workspace, asked'],
  operation_by_path: ['operation', 'workspace, path_key, sequence, ordinal'],
  denial_by_sequence: ['denial', 'workspace, sequence'],
  denial_by_agent: ['denial', 'workspace, agent, sequence'],
};

/** Tables of earlier versions that are no more. */
const GONE = ['file', 'version', 'decision'];

/**
 * The tables of the read models. Those of an earlier version go, rows and positions together: the log is folded again
 * from its beginning, so that old events have the new columns too.
 */
export class CreateReadModels1780185600000 implements MigrationInterface {
  // TypeORM finds the time in the name, which a minifier would take away.
  readonly name = 'CreateReadModels1780185600000';

  async up(runner: QueryRunner): Promise<void> {
    const { schema, columnsOf, endOf } = dialectOf(runner);
    for (const name of [...GONE, ...Object.keys(TABLES)]) await runner.query(`DROP TABLE IF EXISTS ${schema}"${name}"`);
    for (const [name, columns] of Object.entries(TABLES))
      await runner.query(`CREATE TABLE ${schema}"${name}" (${columnsOf(columns)})${endOf(name)}`);
    for (const [name, [table, columns, where]] of Object.entries(INDEXES))
      await runner.query(`CREATE INDEX "${name}" ON ${schema}"${table}" (${columns})${where ? ` WHERE ${where}` : ''}`);
  }

  async down(runner: QueryRunner): Promise<void> {
    const { schema } = dialectOf(runner);
    for (const name of Object.keys(TABLES)) await runner.query(`DROP TABLE ${schema}"${name}"`);
  }
}

/** In PostgreSQL texts compare as in SQLite, byte by byte, whatever language the database was made for. */
function dialectOf({ connection: { options } }: QueryRunner) {
  if (options.type !== 'postgres') {
    const endOf = (name: string): string => (BY_KEY.includes(name) ? ' WITHOUT ROWID' : '');
    return { schema: '', columnsOf: (columns: string) => columns, endOf };
  }
  const columnsOf = (columns: string): string => columns.replaceAll(/ text\b/g, ' text COLLATE "C"');
  return { schema: `"${options.schema}".`, columnsOf, endOf: () => '' };
}
