import { renderStat } from '../render/stat.render.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

const NOTE = `
"changed outside" says that what stands there is not what was recorded last. The hash is what --expect takes.`;

export const statCommand: CommandFactory = (runner) =>
  describeCommand('stat', ['retrace stat docs/a.md', 'retrace stat docs/latest.md --no-follow --json'], NOTE)
    .argument('<path>', PATH_HELP)
    .option('--no-follow', 'a link itself, not what it names')
    .action(
      runner.action<{ follow: boolean }, [string]>(async (invocation, { follow }, path) => {
        const retrace = await invocation.retrace();
        const stat = await retrace.stat(path, { follow });
        invocation.print((screen) => renderStat(stat, screen), { workspace: retrace.workspace, path, ...stat });
      }),
    );
