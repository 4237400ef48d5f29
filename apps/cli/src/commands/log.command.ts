import type { LogFilter, Retrace } from '@retrace/client';
import { type Principal, PrincipalSchema, RecordedActionSchema } from '@retrace/contracts';
import { type Command, Option } from 'commander';
import { by, wholeNumber } from '../globals.js';
import type { Invocation } from '../invocation.js';
import { renderLog } from '../render/log.render.js';
import { UsageError } from '../usage-error.js';
import { type CommandFactory, describeCommand } from './command.js';
import { followLog } from './follow-log.js';
import { moment, MOMENT_HELP } from './moment.js';

interface LogFlags {
  readonly path?: string;
  readonly glob?: string;
  readonly agent?: Principal;
  readonly action?: string;
  readonly status?: 'applied' | 'failed' | 'denied';
  readonly kind?: 'operation' | 'rollback';
  readonly since?: string;
  readonly until?: string;
  readonly before?: number;
  readonly after?: number;
  readonly limit?: number;
  readonly follow?: boolean;
}

const EXAMPLES = [
  'retrace log',
  'retrace log --path docs/a.md',
  `retrace log --glob 'src/**/*.ts' --since 2h`,
  'retrace log --agent writer --status denied --limit 500 --json',
  'retrace log --follow --json | jq .operations',
];

const NOTE = `
Newest last. What is given must all hold. --before and --after take the numbers in front of the lines; with --after
the oldest that follow are shown, else the newest. --json --follow prints a line of JSON for each entry.`;

export const logCommand: CommandFactory = (runner) =>
  withFilters(describeCommand('log', EXAMPLES, NOTE))
    .option('--limit <count>', 'at most so many (100)', wholeNumber(1, 1000))
    .option('-f, --follow', 'go on with what comes; Ctrl-C ends it')
    .action(
      runner.action<LogFlags>(async (invocation, flags) => {
        if (flags.follow && (flags.before !== undefined || flags.until !== undefined))
          throw new UsageError('what is followed has no end: leave out --before and --until');
        const retrace = await invocation.upToDate();
        const filter = filterOf(invocation, flags);
        return flags.follow ? followLog(invocation, retrace, filter) : printLog(invocation, retrace, filter);
      }),
    );

const withFilters = (command: Command): Command =>
  command
    .option('--path <path>', 'what touched this path, or what lies below it')
    .option('--glob <pattern>', 'what touched paths like this: **, *, ?, {a,b}')
    .option('--agent <principal>', 'what this agent did', by(PrincipalSchema))
    .addOption(new Option('--action <action>', 'what did this').choices(RecordedActionSchema.options.map((one) => one)))
    .addOption(new Option('--status <status>', 'what ended so').choices(['applied', 'failed', 'denied']))
    .addOption(new Option('--kind <kind>', 'what agents did, or what took it back').choices(['operation', 'rollback']))
    .option('--since <time>', `from then on: ${MOMENT_HELP}`, moment())
    .option('--until <time>', 'up to then', moment())
    .option('--before <seq>', 'what stands before this number', wholeNumber(1))
    .option('--after <seq>', 'what stands after this number', wholeNumber(0));

const filterOf = ({ globals }: Invocation, flags: LogFlags): LogFilter => ({
  session_id: globals.session,
  agent: flags.agent,
  path: flags.path,
  glob: flags.glob,
  action: flags.action,
  status: flags.status,
  kind: flags.kind,
  since: flags.since,
  until: flags.until,
  before_sequence: flags.before,
  after_sequence: flags.after,
  limit: flags.limit,
});

async function printLog(invocation: Invocation, retrace: Retrace, filter: LogFilter): Promise<void> {
  const { entries, cursor, more, before } = await retrace.log(filter);
  const further = filter.after_sequence === undefined ? (before ?? entries[0]?.sequence) : undefined;
  const hint = further === undefined ? `more: retrace log --after ${cursor}` : `more: retrace log --before ${further}`;
  invocation.print((screen) => [renderLog(entries, screen), ...(more ? [screen.style.dim(hint)] : [])].join('\n'), {
    workspace: retrace.workspace,
    entries,
    cursor,
    more,
  });
}
