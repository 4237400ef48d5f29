import type {
  MemberAdded,
  PolicyPublished,
  StoredEvent,
  WorkspaceBaselined,
  WorkspaceName,
  WorkspaceRegistered,
} from '@retrace/contracts';
import type { MemberEntity } from '../entities/member.entity.js';
import type { PolicyEntity } from '../entities/policy.entity.js';
import type { WorkspaceEntity } from '../entities/workspace.entity.js';
import type { RowOf } from '../entities/row-of.js';

const unregistered = (workspace: WorkspaceName): RowOf<WorkspaceEntity> => ({
  workspace,
  root: null,
  host: null,
  registeredBy: null,
  policy: null,
  policyVersion: 0,
  baseline: null,
});

/** A second registration moves the workspace: the executor that holds its root said so. */
export function workspaceRegistered(
  row: RowOf<WorkspaceEntity> | undefined,
  { workspace, data }: StoredEvent<typeof WorkspaceRegistered>,
): RowOf<WorkspaceEntity> {
  const { root, host, registered_by: registeredBy } = data;
  return { ...(row ?? unregistered(workspace)), root, host, registeredBy };
}

/** The newest scan is the baseline. */
export function workspaceBaselined(
  row: RowOf<WorkspaceEntity> | undefined,
  { workspace, sequence, data }: StoredEvent<typeof WorkspaceBaselined>,
): RowOf<WorkspaceEntity> {
  const { manifest_hash, files, bytes, ignored, skipped_count: skipped } = data;
  const { rules: ignored_rules, entries: ignored_entries } = ignored;
  const baseline = { sequence, manifest_hash, files, bytes, ignored_rules, ignored_entries, skipped };
  return { ...(row ?? unregistered(workspace)), baseline };
}

/** The highest version is in force, in whatever order versions come. */
export function policyInForce(
  row: RowOf<WorkspaceEntity> | undefined,
  { workspace, data }: StoredEvent<typeof PolicyPublished>,
): RowOf<WorkspaceEntity> {
  const before = row ?? unregistered(workspace);
  if (data.version <= before.policyVersion) return before;
  return { ...before, policy: data.name, policyVersion: data.version };
}

/** The first policy with a version's number is that version. */
export function policyPublished(
  row: RowOf<PolicyEntity> | undefined,
  { workspace, sequence, time, data }: StoredEvent<typeof PolicyPublished>,
): RowOf<PolicyEntity> {
  const { version, name, yaml, published_by: publishedBy } = data;
  return row ?? { workspace, version, name, yaml, publishedBy, sequence, time };
}

export function memberAdded(
  row: RowOf<MemberEntity> | undefined,
  { workspace, sequence, data }: StoredEvent<typeof MemberAdded>,
): RowOf<MemberEntity> {
  return row ?? { workspace, member: data.member, addedBy: data.added_by, sequence };
}
