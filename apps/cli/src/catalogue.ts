import type { CommandFactory } from './commands/command.js';

/** A command as the overview lists it; what it is made of is loaded when it is called. */
export interface Listed {
  readonly name: string;
  readonly about: string;
  readonly load: () => Promise<CommandFactory>;
}

const listed = (name: string, about: string, load: () => Promise<CommandFactory>): Listed => ({ name, about, load });

/** Every command, by group, in the order of the overview. */
export const CATALOGUE: Readonly<Record<string, readonly Listed[]>> = {
  'System:': [
    listed('up', 'start the system on this machine', async () => (await import('./commands/up.command.js')).upCommand),
    listed(
      'status',
      'services, read models and workspaces; exits 5 unless all is well',
      async () => (await import('./commands/status.command.js')).statusCommand,
    ),
    listed(
      'doctor',
      'look for what is wrong, and say what to do about it',
      async () => (await import('./commands/doctor.command.js')).doctorCommand,
    ),
    listed(
      'rebuild',
      'make the read models anew from the log; the old ones answer meanwhile',
      async () => (await import('./commands/rebuild.command.js')).rebuildCommand,
    ),
    listed(
      'down',
      'stop the system; exits 4 where none runs',
      async () => (await import('./commands/down.command.js')).downCommand,
    ),
  ],
  'Who and where:': [
    listed(
      'workspace',
      'add and list workspaces',
      async () => (await import('./commands/workspace.command.js')).workspaceCommand,
    ),
    listed('agent', 'add and list agents', async () => (await import('./commands/agent.command.js')).agentCommand),
    listed(
      'policy',
      'show, publish and explain policies',
      async () => (await import('./commands/policy.command.js')).policyCommand,
    ),
    listed(
      'session',
      'open, complete and list sessions',
      async () => (await import('./commands/session.command.js')).sessionCommand,
    ),
  ],
  'Change files:': [
    listed(
      'write',
      'write the whole content of a file, new or not',
      async () => (await import('./commands/write.command.js')).writeCommand,
    ),
    listed(
      'edit',
      'replace a text in a file; more than one match is refused unless --all',
      async () => (await import('./commands/edit.command.js')).editCommand,
    ),
    listed(
      'append',
      'add to the end of a file, which begins with it where there is none',
      async () => (await import('./commands/append.command.js')).appendCommand,
    ),
    listed(
      'mv',
      'give a file, a link or a folder another path',
      async () => (await import('./commands/mv.command.js')).mvCommand,
    ),
    listed(
      'cp',
      'copy a file or a link; -r: a folder and all that is in it',
      async () => (await import('./commands/cp.command.js')).cpCommand,
    ),
    listed(
      'rm',
      'delete a file, a link or an empty folder; -r: a folder and all that is in it',
      async () => (await import('./commands/rm.command.js')).rmCommand,
    ),
    listed('mkdir', 'make a folder', async () => (await import('./commands/mkdir.command.js')).mkdirCommand),
    listed(
      'rmdir',
      'remove an empty folder, and nothing else',
      async () => (await import('./commands/rmdir.command.js')).rmdirCommand,
    ),
    listed(
      'chmod',
      'change the permission bits of a file or folder',
      async () => (await import('./commands/chmod.command.js')).chmodCommand,
    ),
    listed('ln', 'make a symbolic link', async () => (await import('./commands/ln.command.js')).lnCommand),
    listed(
      'apply',
      'apply several operations as one logical operation',
      async () => (await import('./commands/apply.command.js')).applyCommand,
    ),
  ],
  'One whole of several changes:': [
    listed(
      'begin',
      'open a logical operation and print its id, for --lop of what belongs to it',
      async () => (await import('./commands/open-operation.command.js')).beginCommand,
    ),
    listed(
      'commit',
      'end a logical operation: what was done under it is one whole',
      async () => (await import('./commands/open-operation.command.js')).commitCommand,
    ),
    listed(
      'abort',
      'end a logical operation and take back what was done under it',
      async () => (await import('./commands/open-operation.command.js')).abortCommand,
    ),
  ],
  'Look:': [
    listed('ls', 'what a folder holds', async () => (await import('./commands/ls.command.js')).lsCommand),
    listed(
      'stat',
      'what stands at a path, and who recorded its last change',
      async () => (await import('./commands/stat.command.js')).statCommand,
    ),
    listed(
      'cat',
      'a file as it stands, or as it was recorded',
      async () => (await import('./commands/cat.command.js')).catCommand,
    ),
    listed(
      'log',
      'what was done, failed and was refused, newest last',
      async () => (await import('./commands/log.command.js')).logCommand,
    ),
    listed(
      'show',
      'everything recorded of an operation or a line of the log, failed and denied ones included',
      async () => (await import('./commands/show.command.js')).showCommand,
    ),
    listed(
      'why',
      'who wrote what stands at a path, for which task and by which rule; then what was before it',
      async () => (await import('./commands/why.command.js')).whyCommand,
    ),
    listed(
      'diff',
      'what changed: of a path, or by an operation',
      async () => (await import('./commands/diff.command.js')).diffCommand,
    ),
  ],
  'Take back:': [
    listed(
      'undo',
      'take back operations, sessions or paths; shows the plan first',
      async () => (await import('./commands/undo.command.js')).undoCommand,
    ),
    listed(
      'redo',
      'take back an undo; shows the plan first',
      async () => (await import('./commands/redo.command.js')).redoCommand,
    ),
  ],
};
