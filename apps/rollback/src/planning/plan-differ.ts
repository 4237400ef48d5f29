import { createTwoFilesPatch } from 'diff';
import {
  isOperator,
  type PathState,
  type PlanDiff,
  type Principal,
  type RestoreStep,
  RetraceError,
  type RpcCaller,
  type WorkspaceName,
  type WorkspacePath,
} from '@retrace/contracts';
import type { z } from 'zod';
import type { Contents } from '../ports/contents.port.js';
import type { ReadRules } from '../ports/read-rules.port.js';
import type { OwnContents } from './own-contents.js';
import type { PlanReader } from './plan-reader.js';
import { MAX_MERGE_BYTES, textOf } from './text-merge.js';

type Diff = z.infer<typeof PlanDiff.reply>;

/** A longer one is cut. */
const MAX_DIFF_BYTES = 256 * 1024;
/** Two texts with nothing in common would be compared for minutes. */
const MAX_EDITS = 20_000;

/** Shows what a kept plan changes at one path. */
export class PlanDiffer {
  constructor(
    private readonly reader: PlanReader,
    private readonly contents: Contents,
    private readonly own: OwnContents,
    private readonly rules: ReadRules,
  ) {}

  /**
   * Withheld from agents is what others left, and what they may not read by its path. Errors: `unknown_plan`,
   * `not_found`, `unavailable`, `plan_stale` where what the plan saw is not to be had any more.
   */
  async diff(planHash: string, path: WorkspacePath, caller: RpcCaller): Promise<Diff> {
    const steps = this.reader.stepsAt(planHash, path, caller);
    const [first] = steps;
    const last = steps.at(-1);
    if (!first || !last)
      throw new RetraceError('not_found', `${path}: plan ${planHash} has no step on that path; see its steps`);
    const workspace = caller.workspace as WorkspaceName;
    const { principal } = caller;
    const isAgent = principal !== undefined && !isOperator(principal);
    if (isAgent && !(await this.mayShow(workspace, principal, steps)))
      return { path, diff: '', binary: false, truncated: false, withheld: true };
    if (isLarge(first.expect) || isLarge(last.restore)) return { path, diff: '', binary: false, truncated: true };
    const before = await this.content(workspace, first.expect, path);
    const after = await this.content(workspace, last.restore, last.moves_from);
    return diffOf(path, before, after);
  }

  private async mayShow(workspace: WorkspaceName, agent: Principal, steps: readonly RestoreStep[]): Promise<boolean> {
    if (!this.own.mayShow(workspace, agent, steps)) return false;
    const paths = new Set(
      steps.flatMap(({ path, moves_from, moves_to }) => [path, moves_from ?? path, moves_to ?? path]),
    );
    for (const path of paths) if (!(await this.rules.mayRead(workspace, agent, path))) return false;
    return true;
  }

  /** What is no file has no bytes. */
  private async content(workspace: WorkspaceName, state: PathState, standsAt: string | undefined): Promise<Uint8Array> {
    if (state.kind !== 'file') return new Uint8Array();
    const bytes =
      (await this.contents.kept(workspace, state)) ??
      (standsAt === undefined ? undefined : await this.contents.standing(workspace, standsAt, state));
    if (bytes) return bytes;
    throw new RetraceError(
      'plan_stale',
      `${standsAt ?? state.hash}: the content that the plan saw is not to be had any more; plan again`,
    );
  }
}

const isLarge = (state: PathState): boolean => state.kind === 'file' && state.size > MAX_MERGE_BYTES;

function diffOf(path: WorkspacePath, before: Uint8Array, after: Uint8Array): Diff {
  if (Buffer.compare(before, after) === 0) return { path, diff: '', binary: false, truncated: false };
  const from = textOf(before);
  const to = textOf(after);
  if (from === undefined || to === undefined) return { path, diff: '', binary: true, truncated: false };
  const patch = createTwoFilesPatch(path, path, from, to, 'now', 'after the undo', { maxEditLength: MAX_EDITS });
  if (patch === undefined) return { path, diff: '', binary: false, truncated: true };
  return { path, diff: cut(patch), binary: false, truncated: Buffer.byteLength(patch) > MAX_DIFF_BYTES };
}

/** At the end of a line. */
function cut(patch: string): string {
  const bytes = Buffer.from(patch);
  if (bytes.length <= MAX_DIFF_BYTES) return patch;
  return bytes.subarray(0, bytes.lastIndexOf(10, MAX_DIFF_BYTES - 1) + 1).toString();
}
