import { PrincipalSchema } from '@retrace/contracts';
import { by, wholeNumber } from '../globals.js';
import { renderLog } from '../render/log.render.js';
import { type CommandFactory, describeCommand } from './command.js';

interface LogFlags {
  readonly path?: string;
  readonly agent?: string;
  readonly before?: number;
  readonly limit?: number;
}

const EXAMPLES = ['retrace log', 'retrace log --path docs/a.md', 'retrace log --agent writer --limit 500 --json'];

export const logCommand: CommandFactory = (runner) =>
  describeCommand('log', 'what was done, failed and was refused, newest last', EXAMPLES)
    .option('--path <path>', 'what touched this path')
    .option('--agent <principal>', 'what this agent did', by(PrincipalSchema))
    .option('--before <seq>', 'what stands before this number', wholeNumber(1))
    .option('--limit <count>', 'at most so many (100)', wholeNumber(1, 1000))
    .action(
      runner.action<LogFlags>(async (invocation, { path, agent, before, limit }) => {
        const retrace = await invocation.upToDate();
        const filter = { path, agent, before_sequence: before, limit, session_id: invocation.globals.session };
        const { entries } = await retrace.log(filter);
        invocation.print((screen) => renderLog(entries, screen), { workspace: retrace.workspace, entries });
      }),
    );
