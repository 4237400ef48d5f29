import { basename, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Retrace, RetraceSystem } from '@retrace/client';
import {
  errorCodeOf,
  FsAddWorkspace,
  PolicyPublish,
  type WorkspaceName,
  WorkspaceNameSchema,
} from '@retrace/contracts';
import { by } from '../globals.js';
import { renderWorkspaces } from '../render/lists.render.js';
import { plain } from '../render/text.js';
import { UsageError } from '../usage-error.js';
import { type CommandFactory, describeCommand, groupCommands } from './command.js';
import { DEFAULT_PRESET, type PolicySource, readPolicySource } from './policy-source.js';

interface AddFlags {
  readonly name?: WorkspaceName;
  readonly policy?: string;
}

/** The folder may lie on a slow disk. */
const ADD_TIMEOUT_MS = 120_000;
const POLICY_TRIES = 50;
const POLICY_PAUSE_MS = 100;

const EXAMPLES = ['retrace workspace add ./notes', 'retrace workspace add . --name app --policy strict'];

const addCommand: CommandFactory = (runner) =>
  describeCommand('add', 'take a folder on this machine under care', EXAMPLES)
    .argument('<dir>', 'its root')
    .option('--name <name>', 'how it is called (default: after the folder)', by(WorkspaceNameSchema))
    .option('--policy <file|name>', `a YAML file, or one that ships: strict, team, scratch (new: ${DEFAULT_PRESET})`)
    .action(
      runner.action<AddFlags, [string]>(async (invocation, flags, dir) => {
        const folder = resolve(invocation.io.cwd, dir);
        const name = flags.name ?? nameAfter(folder);
        const given = flags.policy === undefined ? undefined : await readPolicySource(invocation.io, flags.policy);
        const system = await invocation.system();
        const { root } = await system.call(FsAddWorkspace, { name, root: folder }, { timeoutMs: ADD_TIMEOUT_MS });
        const policy = await settlePolicy(system, name, given);
        invocation.print(
          () =>
            `workspace ${name} is ${plain(root)}, ${policy.kept ? 'and keeps' : 'with'} policy ${policy.name} (version ${policy.version})\nnext: retrace agent add NAME --workspace ${name}`,
          { name, root, policy: policy.name, policy_version: policy.version, policy_kept: policy.kept },
        );
      }),
    );

interface Settled {
  readonly name: string;
  readonly version: number;
  /** It was in force before. */
  readonly kept: boolean;
}

/** Whoever adds a workspace again has not asked for another policy: what is in force stays, unless one is given. */
async function settlePolicy(system: RetraceSystem, name: string, given: PolicySource | undefined): Promise<Settled> {
  const before = given === undefined ? await policyInForce(system, name) : undefined;
  if (before) return { ...before, kept: true };
  const policy = given ?? { name: DEFAULT_PRESET, yaml: '' };
  const { version } = await publish(await system.workspace(name), policy);
  return { name: policy.name, version, kept: false };
}

async function policyInForce(system: RetraceSystem, workspace: string): Promise<Omit<Settled, 'kept'> | undefined> {
  const { workspaces } = await system.workspaces();
  const found = workspaces.find(({ name }) => name === workspace);
  return found?.policy == null ? undefined : { name: found.policy, version: found.policy_version };
}

/** Policy learns of the workspace through the log: it may not know it yet. */
async function publish(retrace: Retrace, policy: PolicySource): Promise<{ version: number }> {
  for (let left = POLICY_TRIES; ; left -= 1) {
    try {
      return await retrace.call(PolicyPublish, policy);
    } catch (error) {
      if (errorCodeOf(error) !== 'unknown_workspace' || left === 0) throw error;
      await sleep(POLICY_PAUSE_MS);
    }
  }
}

/** A folder's name as a workspace can be called. Throws UsageError. */
export function nameAfter(folder: string): WorkspaceName {
  const name = basename(folder)
    .toLowerCase()
    .replaceAll(/[^a-z0-9-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  const parsed = WorkspaceNameSchema.safeParse(name.slice(0, 63));
  if (parsed.success) return parsed.data;
  throw new UsageError(`no workspace can be called after ${folder}: give --name`);
}

const listCommand: CommandFactory = (runner) =>
  describeCommand('list', 'the workspaces, their policies and members', ['retrace workspace list']).action(
    runner.action(async (invocation) => {
      const { workspaces } = await (await invocation.system()).workspaces();
      invocation.print((screen) => renderWorkspaces(workspaces, screen), { workspaces });
    }),
  );

export const workspaceCommand: CommandFactory = (runner) =>
  groupCommands('workspace', 'add and list workspaces', [addCommand(runner), listCommand(runner)]);
