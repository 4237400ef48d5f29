import type { OperationId, PathState, WorkspacePath, WriteMode } from '@retrace/contracts';
import { needsInPlace } from '@retrace/workspace-fs';
import type { Authority } from '../domain/authority.js';
import type { JournalStep, KeptContent } from '../journal/journal-record.js';
import type { JournalRoom } from './journal-room.js';
import type { Transfer } from './planned-change.js';
import type { Present } from './simulated-tree.js';

interface Change {
  readonly operationId: OperationId;
  readonly path: WorkspacePath;
  readonly from: Present;
  readonly to: PathState;
  readonly writeMode?: WriteMode | undefined;
  readonly moved?: Transfer | undefined;
}

/** `i`: its place among all steps, for a name of its own in staging; `at`: the operation's place. */
export function journalStep({ workspace, sequence }: Authority, i: number, at: number, change: Change): JournalStep {
  const { operationId, path, from, to, writeMode } = change;
  const rewrites = from.state.kind === 'file' && to.kind === 'file' && !sameContent(from.state, to);
  const inPlace = rewrites && (writeMode === 'in_place' || (from.like !== undefined && needsInPlace(from.like)));
  const stored = isStored(change);
  return { operationId, path, from: from.state, to, stageName: `${workspace}-${sequence}-${i}`, inPlace, at, stored };
}

/** New content comes from the blob store, or is kept for it; where the bytes stay, what held before holds on. */
function isStored({ from, to, moved }: Change): boolean {
  if (moved) return moved.object !== undefined && holdsStored(moved.object);
  return sameContent(from.state, to) ? holdsStored(from) : to.kind === 'file';
}

/** Answers whether what stands there is what was recorded, with its content. */
const holdsStored = ({ state, recorded }: Present): boolean =>
  recorded?.stored === true && sameContent(recorded.state, state);

/** A copy taken before a file is written in place. */
export const preImageName = (step: JournalStep): string => `${step.stageName}-before`;

/** Every name in staging that a step may use. */
export const stageNamesOf = (step: JournalStep): string[] =>
  step.inPlace ? [step.stageName, preImageName(step)] : [step.stageName];

/** Names that nobody needs once it is known how the steps end. A moved object is no longer, or not yet, in staging. */
export const droppedNames = (steps: readonly JournalStep[]): string[] =>
  steps.flatMap((step) => (step.moved ? [] : stageNamesOf(step)));

/** Two states of a file that differ in mode at most: the bytes stay where they are. */
export const sameContent = (from: PathState, to: PathState): boolean =>
  from.kind === 'file' && to.kind === 'file' && from.hash === to.hash && from.size === to.size;

/** Where the bytes of the pre-image are until the blob store has them. Earlier steps' results are stored anyway. */
export function keptPreImage(step: JournalStep, from: Present, room: JournalRoom): KeptContent[] {
  const { state, heldAt, content } = from;
  if (state.kind !== 'file' || heldAt === undefined || step.moved || sameContent(state, step.to)) return [];
  if (holdsStored(from)) return [];
  const { hash, size } = state;
  if (content && room.takes(content.length)) return [{ kind: 'inline', hash, bytes: content }];
  return [{ kind: 'staged', hash, size, stageName: step.inPlace ? preImageName(step) : step.stageName }];
}
