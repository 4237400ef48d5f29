const UUID = '01890a5d-ac96-774b-bcce-b302099a8057';
const id = (prefix: string): string => `${prefix}_${UUID}`;
const hash = 'ab'.repeat(32);

const file = { kind: 'file', hash, size: 3, mode: 0o644 };
const absent = { kind: 'absent' };
const decision = { policy_version: 1, rule: 'allow-docs' };
const answered = { intent_id: id('int'), in_sequence: 7, attempt: 1 };
const request = { action: 'create', operation_id: id('op'), path: './a', content_hash: hash, size: 3 };

const record = {
  operation_id: id('op'),
  logical_operation_id: id('lop'),
  session_id: id('ses'),
  agent_id: 'writer',
  tool: null,
  model: { id: 'm' },
  action: 'create',
  path: { typed: './a', canonical: 'a' },
  parameters: { content_hash: hash, overwrite: false, expected_state_hash: null, write_mode: null, matches: null },
  reason: null,
  provenance: { ticket: 'T-1' },
  trace_id: null,
  rollback_instruction: { path: 'a', expect: file, restore: absent },
  state_snapshot_before: { state: absent, sequence: null },
  state_snapshot_after: { state: file, sequence: 'self' },
  decision,
  duration_ms: 0.5,
  undo_coverage: { undoable: true, restores: ['existence'], lost: [] },
  compensates: [],
  notes: [],
};

const outcome = {
  logical_operation_id: id('lop'),
  kind: 'operation',
  intent_id: id('int'),
  session_id: null,
  rollback_id: null,
  part: 1,
  authorized_by: { sequence: 3, event_id: id('evt') },
  epoch: 1,
};

const leftOut = {
  logical_operation_id: id('lop'),
  path: 'a',
  why: 'dependent',
  message: 'changed later',
  expected: file,
  found: absent,
  later: { logical_operation_id: id('lop'), agent: 'other' },
};

const rollback = { rollback_id: id('rbk'), logical_operation_id: id('lop') };

/** Valid data of every event, as JSON carries it.. */
export const EVENT_SAMPLES: Readonly<Record<string, unknown>> = {
  'intent.authorized': {
    ...answered,
    logical_operation_id: id('lop'),
    session_id: id('ses'),
    model: null,
    tool: 'editor',
    reason: 'because',
    provenance: {},
    operations: [
      { request, canonical: 'a', class: 'create', pin: { kind: 'absent', assumed: true }, decision },
      { request, canonical: 'a', class: 'overwrite', pin: { kind: 'state', state: file, sequence: null }, decision },
      { request, canonical: 'a', class: 'overwrite', pin: { kind: 'after', operation_id: id('op') }, decision },
    ],
  },
  'intent.denied': {
    ...answered,
    intent_type: 'operation.apply',
    session_id: null,
    code: 'rule_denies',
    message: 'no',
    rule: 'r',
    policy_version: 1,
    path: 'a',
    action: 'write',
    reason: null,
    retryable: false,
  },
  'intent.stale': { ...answered, logical_operation_id: id('lop'), paths: [{ path: 'a', why: 'moved' }] },
  'operation.applied': { ...outcome, operations: [record] },
  'operation.failed': {
    ...outcome,
    code: 'changed_outside',
    message: 'm',
    failed_at: 0,
    path: 'a',
    expected: file,
    found: absent,
    needs_attention: [{ path: 'a', found: file, kept: null }],
  },
  'session.opened': {
    ...answered,
    session_id: id('ses'),
    agent: 'writer',
    task: 't',
    conversation_id: null,
    model: { id: 'm', version: '1' },
  },
  'session.completed': { ...answered, session_id: id('ses') },
  'workspace.registered': { root: '/srv/docs', host: 'h', registered_by: '_op-me' },
  'policy.published': { version: 1, name: 'careful', yaml: 'rules: []', published_by: '_op-me' },
  'member.added': { member: 'writer', added_by: '_op-me' },
  'access.refused': { path: 'secret', code: 'rule_denies', rule: null, message: 'no' },
  'rollback.authorized': {
    ...answered,
    ...rollback,
    plan_hash: hash,
    requested_by: '_op-me',
    reason: null,
    decision,
  },
  'rollback.step_requested': {
    ...rollback,
    intent_id: id('int'),
    part: 1,
    parts: 2,
    reason: null,
    decision,
    steps: [{ operation_id: id('op'), compensates: [id('op')], path: 'a', expect: file, restore: absent }],
  },
  'rollback.completed': {
    ...rollback,
    intent_id: id('int'),
    plan_hash: hash,
    outcome: 'partial',
    undone: [id('lop')],
    restored: ['a'],
    left_out: [leftOut],
    failures: [{ part: 2, code: 'io', message: 'm' }],
  },
  'message.rejected': {
    service: 'policy',
    stream: 'RETRACE',
    sequence: 1,
    subject: 's',
    rejected_event_id: null,
    reason: 'bad_json',
    message: 'm',
  },
};
