import { IntentDeniedError, OperationFailedError, OutcomeUnknown } from '@retrace/client';

const CLASS_OF: Readonly<Record<string, string>> = {
  create: 'create',
  write: 'overwrite',
  edit: 'overwrite',
  append: 'overwrite',
  chmod: 'overwrite',
  mkdir: 'create',
  symlink: 'create',
  copy: 'create',
  move: 'move',
  delete: 'delete',
  rmdir: 'delete',
};

const LOOK_AT_LOG = 'retrace log shows what there is';
const SPLIT = 'split it into several';
const AGAIN = 'try again';
const STATUS_THEN_AGAIN = 'retrace status; then try again';
const NAME_FROM_ROOT = 'name it from the root of the workspace: retrace ls shows what is there';
const OUR_FAULT = 'retrace doctor; the log of the system says more';
const BLOBS = 'retrace doctor looks at the blob store';

/** By code: every refusal of the contract that a person can meet, and those of this program. */
const ADVICE: Readonly<Record<string, string>> = {
  // the intent itself
  malformed_intent: 'retrace COMMAND --help',
  intent_too_large: SPLIT,
  too_many_operations: SPLIT,
  too_many_paths: 'split it: move, copy or delete the folders in it one by one',
  unknown_workspace: 'retrace workspace list',
  not_a_member: 'retrace agent add NAME --workspace W',
  unknown_session: 'retrace session open TASK',
  session_closed: 'open another session: retrace session open TASK',
  session_exists: 'open another session: retrace session open TASK',
  not_your_session: 'use a session of your own: retrace session open TASK',
  duplicate_operation_id: 'retrace log: it may have been done already',
  unknown_logical_operation: 'begin one: retrace begin; and name the session that began it: --session ID',
  logical_operation_exists: 'begin another one: retrace begin',
  logical_operation_closed: 'it was committed or aborted: begin another one: retrace begin',
  logical_operation_failed: 'a part of it failed, so that only this is left: retrace abort LOP',
  logical_operation_open: 'end what is open first: retrace commit LOP, or retrace abort LOP',
  withdrawn: 'it was taken back before it was decided: ask again if it is still wanted',
  // paths
  path_empty: NAME_FROM_ROOT,
  path_nul: NAME_FROM_ROOT,
  path_not_unicode: NAME_FROM_ROOT,
  path_absolute: NAME_FROM_ROOT,
  path_escapes: NAME_FROM_ROOT,
  path_trailing_slash: NAME_FROM_ROOT,
  path_too_long: 'choose a shorter path',
  name_too_long: 'choose a shorter name',
  path_control_folder: 'choose another path: .retrace is kept by Retrace itself',
  outside_root: 'choose a path, or a target of the link, that stays inside the workspace',
  link_refused:
    'name the file itself instead of a link to it (retrace stat PATH --no-follow); a link may not lead out of the workspace',
  // policy
  no_policy: 'retrace policy publish FILE|strict|team|scratch',
  policy_invalid: 'correct the file, then publish it again',
  protected_path: 'no policy allows it: choose another path',
  content_missing: AGAIN,
  workspace_unavailable: STATUS_THEN_AGAIN,
  stale_too_often:
    'others change the same paths: try again; through a link that the same operation makes, name what it points to',
  // execution
  exists: 'choose another path; a file is replaced by write, or by mv and cp with --overwrite; a folder never is',
  absent: 'look at the folder (retrace ls); make one that is missing: retrace mkdir -p; a new file: retrace write',
  not_a_file: 'retrace stat PATH says what stands there; for a folder: -r, or mkdir and rmdir',
  not_a_folder: 'retrace stat PATH says what stands there',
  not_empty: 'delete what is in the folder first, or all of it: rm -r',
  into_itself: 'choose another place: not the same, and not inside the folder itself',
  expected_mismatch: 'look at it again (retrace diff, retrace cat), then decide anew',
  changed_outside:
    'somebody changed it outside Retrace: look (retrace diff, retrace cat); to go over it: --expect present, which keeps what stands there for an undo',
  writer_active: 'somebody has it open for writing: try again once they are done',
  edit_no_match: 'the text is not there as given: look (retrace cat)',
  edit_ambiguous: 'give more of the text around it, or --all for every match',
  edit_blob_invalid: AGAIN,
  not_permitted: 'the system runs as a user who may not do this: retrace doctor',
  no_space: 'make room on the disk: retrace doctor',
  needs_attention: 'look at the paths that are named; nothing of the operation was kept',
  io: OUR_FAULT,
  // workspaces and places
  workspace_exists: 'choose another --name: retrace workspace list',
  workspace_locked: 'another executor holds this folder: stop it first',
  workspace_overlaps: 'choose a folder that no workspace holds: retrace workspace list',
  not_a_directory: 'name a folder that is there',
  // blobs
  blob_absent: 'the content is not kept: choose another version (retrace why PATH)',
  blob_corrupt: BLOBS,
  blob_mismatch: AGAIN,
  blob_too_large: 'the content is larger than what can be kept: leave it out',
  blob_forbidden: 'an operator may read it: leave out --as',
  blob_incomplete: AGAIN,
  blob_range_invalid: AGAIN,
  blob_source_invalid: AGAIN,
  blob_upload_gap: AGAIN,
  blob_upload_gone: AGAIN,
  blob_uploads_busy: AGAIN,
  blob_store_closed: STATUS_THEN_AGAIN,
  blob_store_failed: BLOBS,
  blob_store_unusable: BLOBS,
  // rollback
  unknown_plan: 'plans are kept for a while: make a new one (retrace undo … --dry-run)',
  plan_stale: 'things changed since the plan was made: run the undo again',
  nothing_to_undo: LOOK_AT_LOG,
  nothing_selected: LOOK_AT_LOG,
  not_yours: 'an operator may undo anything: leave out --as',
  changed_dependent: 'undo the later work first, or see --skip, --merge and --force',
  already_undone: 'to redo: retrace redo',
  // messages and calls
  bad_json: OUR_FAULT,
  bad_request: 'retrace COMMAND --help',
  no_event_id: OUR_FAULT,
  unknown_type: 'client and system are of different versions: use the same',
  bad_subject: OUR_FAULT,
  forbidden: 'this is for operators: leave out --as',
  not_found: LOOK_AT_LOG,
  not_ready: 'it is catching up: try again, or see retrace status',
  busy: AGAIN,
  reply_too_large: 'ask for less: --limit, --path',
  unavailable: 'retrace status, or start it: retrace up',
  timeout: STATUS_THEN_AGAIN,
  internal: OUR_FAULT,
  // this program
  not_running: 'start it: retrace up',
  credentials_invalid: 'retrace agent list; retrace agent add NAME --workspace W',
  usage: 'retrace COMMAND --help',
};

/** Codes whose advice is to ask which rules were tried, where the refusal names what was asked for. */
const EXPLAINED: ReadonlySet<string> = new Set(['no_rule', 'rule_denies']);

/** What to do next, where we know. */
export function adviceFor(error: unknown, code: string, principal: string): string | null {
  if (error instanceof OutcomeUnknown)
    return 'nothing was cancelled: see retrace log, and repeat only if it is not there';
  if (EXPLAINED.has(code)) return explainFor(error, principal);
  if (error instanceof OperationFailedError && error.needsAttention.length > 0) return ADVICE.needs_attention!;
  return ADVICE[code] ?? null;
}

function explainFor(error: unknown, principal: string): string {
  const { path = null, action = null } = error instanceof IntentDeniedError ? error : {};
  if (path === null) return 'retrace policy show; retrace policy explain AGENT CLASS PATH';
  return `retrace policy explain ${principal} ${CLASS_OF[action ?? ''] ?? 'CLASS'} ${path}`;
}
