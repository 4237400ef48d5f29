import { basename, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Retrace, RetraceSystem } from '@retrace/client';
import {
  errorCodeOf,
  FsAddWorkspace,
  FsBaseline,
  PolicyPublish,
  type WorkspaceName,
  WorkspaceNameSchema,
} from '@retrace/contracts';
import { EXIT } from '../exit-code.js';
import { by } from '../globals.js';
import { renderWorkspaces } from '../render/lists.render.js';
import { plain } from '../render/text.js';
import { UsageError } from '../usage-error.js';
import { awaitBaseline, describeBaseline } from './await-baseline.js';
import { type CommandFactory, describeCommand, groupCommands } from './command.js';
import { DEFAULT_PRESET, type PolicySource, readPolicySource } from './policy-source.js';

interface AddFlags {
  readonly name?: WorkspaceName;
  readonly policy?: string;
  readonly wait: boolean;
}

/** The folder may lie on a slow disk. */
const ADD_TIMEOUT_MS = 120_000;
const POLICY_TRIES = 50;
const POLICY_PAUSE_MS = 100;

const EXAMPLES = ['retrace workspace add ./notes', 'retrace workspace add . --name app --policy strict'];
const ADD_NOTE = `
What stands there is put on record first, so that it can be told from what comes. Left out, and counted: .git folders,
and what .gitignore and .retraceignore name. Where that fails it exits 3; each file is then recorded at its first
change.`;

const addCommand: CommandFactory = (runner) =>
  describeCommand('add', EXAMPLES, ADD_NOTE)
    .description('take a folder on this machine under care')
    .argument('<dir>', 'its root')
    .option('--name <name>', 'how it is called (default: after the folder)', by(WorkspaceNameSchema))
    .option('--policy <file|name>', `a YAML file, or one that ships: strict, team, scratch (new: ${DEFAULT_PRESET})`)
    .option('--no-wait', 'do not wait until what stands there is on record')
    .action(
      runner.action<AddFlags, [string]>(async (invocation, flags, dir) => {
        const folder = resolve(invocation.io.cwd, dir);
        const name = flags.name ?? nameAfter(folder);
        const given = flags.policy === undefined ? undefined : await readPolicySource(invocation.io, flags.policy);
        const system = await invocation.system();
        const { root } = await system.call(FsAddWorkspace, { name, root: folder }, { timeoutMs: ADD_TIMEOUT_MS });
        const policy = await settlePolicy(system, name, given);
        const retrace = await system.workspace(name);
        const baseline = flags.wait
          ? await awaitBaseline(retrace, invocation.progress)
          : await retrace.call(FsBaseline, {});
        const lines = [
          `workspace ${name} is ${plain(root)}, ${policy.kept ? 'and keeps' : 'with'} policy ${policy.name} (version ${policy.version})`,
          describeBaseline(baseline),
          `next: retrace agent add NAME --workspace ${name}`,
        ];
        const { name: policyName, version, kept } = policy;
        const json = { name, root, policy: policyName, policy_version: version, policy_kept: kept, baseline };
        invocation.print(() => lines.join('\n'), json);
        return baseline.status === 'failed' ? EXIT.partial : EXIT.done;
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
  describeCommand('list', ['retrace workspace list'])
    .description('the workspaces, their policies, members and baselines')
    .action(
      runner.action(async (invocation) => {
        const { workspaces } = await (await invocation.system()).workspaces();
        invocation.print((screen) => renderWorkspaces(workspaces, screen), { workspaces });
      }),
    );

export const workspaceCommand: CommandFactory = (runner) =>
  groupCommands('workspace', [addCommand(runner), listCommand(runner)]);
