import type { OperationId, PathState, WorkspacePath, WriteMode } from '@retrace/contracts';
import { needsInPlace } from '@retrace/workspace-fs';
import type { Authority } from '../domain/authority.js';
import type { JournalStep, KeptContent } from '../journal/journal-record.js';
import { INLINE_BYTES, type Present } from './simulated-tree.js';

interface Change {
  readonly operationId: OperationId;
  readonly path: WorkspacePath;
  readonly from: Present;
  readonly to: PathState;
  readonly writeMode?: WriteMode | undefined;
}

export function journalStep({ workspace, sequence }: Authority, i: number, change: Change): JournalStep {
  const { operationId, path, from, to, writeMode } = change;
  const rewrites = from.state.kind === 'file' && to.kind === 'file' && !sameContent(from.state, to);
  const inPlace = rewrites && (writeMode === 'in_place' || (from.like !== undefined && needsInPlace(from.like)));
  return { operationId, path, from: from.state, to, stageName: `${workspace}-${sequence}-${i}`, inPlace };
}

/** A copy taken before a file is written in place. */
export const preImageName = (step: JournalStep): string => `${step.stageName}-before`;

/** Every name in staging that a step may use. */
export const stageNamesOf = (step: JournalStep): string[] =>
  step.inPlace ? [step.stageName, preImageName(step)] : [step.stageName];

/** Two states of a file that differ in mode at most: the bytes stay where they are. */
export const sameContent = (from: PathState, to: PathState): boolean =>
  from.kind === 'file' && to.kind === 'file' && from.hash === to.hash && from.size === to.size;

/** Where the bytes of the pre-image are until the blob store has them. Earlier steps' results are stored anyway. */
export function keptPreImage(step: JournalStep, from: Present): KeptContent[] {
  const { state, stat, content } = from;
  if (state.kind !== 'file' || stat === undefined || sameContent(state, step.to)) return [];
  const { hash, size } = state;
  if (content && content.length <= INLINE_BYTES) return [{ kind: 'inline', hash, bytes: content }];
  return [{ kind: 'staged', hash, size, stageName: step.inPlace ? preImageName(step) : step.stageName }];
}

/** What was computed here nobody uploaded; where it is too large for the journal, staging stores it first. */
export const keptResult = (to: PathState, content: Uint8Array | undefined): KeptContent[] =>
  to.kind === 'file' && content && content.length <= INLINE_BYTES
    ? [{ kind: 'inline', hash: to.hash, bytes: content }]
    : [];
