import { RetraceError } from '@retrace/contracts';
import { wholeNumber } from '../globals.js';
import { renderHistory } from '../render/history.render.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

interface WhyFlags {
  readonly before?: number;
  readonly limit?: number;
}

const NOTE = `
It follows moves back to the names that the object had before, and says if what stands there is not what was recorded.`;

export const whyCommand: CommandFactory = (runner) =>
  describeCommand('why', ['retrace why src/app.ts', 'retrace why src/app.ts --limit 3 --json'], NOTE)
    .argument('<path>', PATH_HELP)
    .option('--limit <count>', 'at most so many changes (20)', wholeNumber(1, 1000), 20)
    .option('--before <seq>', 'changes before this number of the log', wholeNumber(1))
    .action(
      runner.action<WhyFlags, [string]>(async (invocation, { before, limit }, path) => {
        const retrace = await invocation.upToDate();
        const [stat, history] = await Promise.all([
          retrace.stat(path, { follow: false }),
          retrace.history(path, { before, limit }),
        ]);
        const { changes, more } = history;
        if (changes.length === 0 && stat.recorded === null && stat.state.kind === 'absent')
          throw new RetraceError('not_found', `${path}: nothing stands there, and nothing was ever recorded of it`);
        invocation.print((screen) => renderHistory({ path: stat.canonical, stat, changes, more }, screen), {
          workspace: retrace.workspace,
          path: stat.canonical,
          now: stat,
          changes,
          more,
        });
      }),
    );
