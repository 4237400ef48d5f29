import { IntentDeniedError, OperationFailedError, OutcomeUnknown } from '@retrace/client';

const CLASS_OF: Readonly<Record<string, string>> = {
  create: 'create',
  write: 'overwrite',
  edit: 'overwrite',
  mkdir: 'create',
  delete: 'delete',
};

const ADVICE: Readonly<Record<string, string>> = {
  unknown_workspace: 'retrace workspace list',
  not_a_member: 'retrace agent add NAME --workspace W',
  unknown_session: 'retrace session open TASK',
  session_closed: 'open another session: retrace session open TASK',
  not_your_session: 'use a session of your own: retrace session open TASK',
  no_policy: 'retrace policy publish FILE|strict|team|scratch',
  policy_invalid: 'correct the file, then publish it again',
  exists: 'use write to replace what is there, or choose another path',
  absent: 'look at the folder; use write or create for a new file',
  expected_mismatch: 'read the file again (retrace cat), then decide anew',
  changed_outside: 'somebody changed it outside Retrace: look (retrace cat), then decide anew',
  edit_no_match: 'the text is not there as given: look (retrace cat)',
  edit_ambiguous: 'give more of the text around it, or --all for every match',
  not_empty: 'delete what is in the folder first',
  needs_attention: 'look at the paths that are named; nothing of the operation was kept',
  stale_too_often: 'others change the same paths: try again',
  content_missing: 'try again',
  workspace_unavailable: 'retrace status; then try again',
  nothing_to_undo: 'retrace log shows what there is',
  nothing_selected: 'retrace log shows what there is',
  already_undone: 'to redo, undo the rollback that took it back: retrace log',
  plan_stale: 'things changed since the plan was made: run the undo again',
  not_yours: 'an operator may undo anything: leave out --as',
  unavailable: 'retrace status, or start it: retrace up',
  not_running: 'start it: retrace up',
  timeout: 'retrace status; then try again',
  not_ready: 'it is catching up: try again, or see retrace status',
  busy: 'try again',
  not_found: 'retrace log shows what there is',
  credentials_invalid: 'retrace agent list; retrace agent add NAME --workspace W',
  forbidden: 'this is for operators: leave out --as',
  usage: 'retrace COMMAND --help',
  too_many_operations: 'split it into several files',
  intent_too_large: 'split it into several files',
  workspace_locked: 'another executor holds this folder: stop it first',
  workspace_overlaps: 'choose a folder that no workspace holds: retrace workspace list',
};

/** What to do next, where we know. */
export function adviceFor(error: unknown, code: string, principal: string): string | null {
  if (error instanceof OutcomeUnknown)
    return 'nothing was cancelled: see retrace log, and repeat only if it is not there';
  if (error instanceof IntentDeniedError && error.rule !== null && error.path !== null && !ADVICE[code])
    return `retrace policy explain ${principal} ${CLASS_OF[error.action ?? ''] ?? 'CLASS'} ${error.path}`;
  if (error instanceof OperationFailedError && error.needsAttention.length > 0) return ADVICE.needs_attention!;
  return ADVICE[code] ?? null;
}
