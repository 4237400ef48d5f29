import { join } from 'node:path';
import { describePathState, type Failure, type QueryEntry } from '@retrace/contracts';
import type { z } from 'zod';
import { type Field, renderFields } from './fields.js';
import type { Screen } from './style.js';

export type EntryDetail = z.infer<(typeof QueryEntry)['reply']>;

/** Where execution leaves content that it could not put back, below the root of the workspace. */
const STAGING = '.retrace/staging';

/** Something of it failed or was denied: its operations alone do not tell of that. */
export const tellsOfFailure = ({ entry }: EntryDetail): boolean => entry.status !== 'applied' || entry.code !== null;

/** Everything known of a line of the log that was denied, or failed in whole or in part. */
export function renderEntry(detail: EntryDetail, { width, style }: Screen): string {
  return `${style.red(titleOf(detail))}\n${renderFields(fieldsOf(detail), width, '  ')}`;
}

function titleOf({ entry }: EntryDetail): string {
  const what = entry.kind === 'rollback' ? 'undo' : 'operation';
  return `${what} ${entry.status === 'applied' ? 'failed in part' : entry.status}`;
}

const fieldsOf = ({ entry, intent_id, failure, root }: EntryDetail): Field[] => [
  ['code', entry.code],
  ['message', entry.message],
  ...failureFields(failure, root),
  ...entry.operations.map(({ action, path, operation_id }): Field => [
    'asked for',
    [action, path, operation_id && `(${operation_id})`].filter(Boolean).join(' '),
  ]),
  ['logical operation', entry.logical_operation_id],
  ['intent', intent_id],
  ['sequence', entry.sequence],
  ['time', entry.time],
  ['agent', entry.agent],
  ['session', entry.session_id],
  ['task', entry.task],
  ['tool', entry.tool],
  ['reason', entry.reason],
  ['rule', entry.rule],
  ['policy version', entry.policy_version],
];

function failureFields(failure: Failure | null, root: string | null): Field[] {
  if (failure === null) return [];
  return [
    ['path', failure.path],
    ['expected', failure.expected && describePathState(failure.expected)],
    ['found', failure.found && describePathState(failure.found)],
    ...failure.needs_attention.flatMap(({ path, found, kept }): Field[] => [
      ['needs attention', `${path}: found ${describePathState(found)}`],
      ['kept', kept && keptAt(root, kept)],
    ]),
  ];
}

/** The content that was there before, for a person to put back. */
const keptAt = (root: string | null, kept: string): string => join(root ?? '', STAGING, kept);
