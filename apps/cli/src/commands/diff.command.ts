import type { Retrace } from '@retrace/client';
import { RetraceError } from '@retrace/contracts';
import type { Invocation } from '../invocation.js';
import { renderDiffs } from '../render/diff.render.js';
import { UsageError } from '../usage-error.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';
import { changesOf } from './file-change.js';
import { diffOf, type FileDiff, readStored } from './file-diff.js';
import { recordsOf } from './operation-pages.js';
import { diffPath } from './path-diff.js';
import { parseReference, type Reference, referenceOf } from './references.js';

interface DiffFlags {
  readonly from?: string;
  readonly to?: string;
}

/** What a screen, or a reader, has room for. */
const MAX_FILES = 500;

const EXAMPLES = [
  'retrace diff docs/a.md',
  'retrace diff docs/a.md --from 1042',
  'retrace diff docs/a.md --from 1042 --to 1050',
  'retrace diff 1042',
  'retrace diff lop_0197e1f0-3c5a-7b1e-9d2f-2f0a4c6b8d10 > change.patch',
];

const NOTE = `
Of a path: from what was recorded last to what stands there now, so that it shows what was changed outside; --from and
--to take a number of the log, op_… or lop_…: the path as it was after that. Of an operation: all that it changed. A
path that looks like a number is written ./1042.`;

export const diffCommand: CommandFactory = (runner) =>
  describeCommand('diff', EXAMPLES, NOTE)
    .argument('<path|id>', `a path, ${PATH_HELP}; or op_…, lop_…, or the number of a line of the log`)
    .option('--from <ref>', 'the earlier side (default: what was recorded last)')
    .option('--to <ref>', 'the later side (default: what stands there now)')
    .action(
      runner.action<DiffFlags, [string]>(async (invocation, flags, text) => {
        const reference = referenceOf(text);
        const sides = { from: sideOf(flags.from), to: sideOf(flags.to) };
        if (reference && (flags.from !== undefined || flags.to !== undefined))
          throw new UsageError('--from and --to are for a path: an operation has its two sides');
        const retrace = await invocation.upToDate();
        if (reference) return print(invocation, retrace, await diffOperation(invocation, retrace, reference));
        const { file, title } = await diffPath(retrace, text, sides);
        print(invocation, retrace, { files: [file], more: 0, title });
      }),
    );

const sideOf = (text: string | undefined): Reference | undefined =>
  text === undefined ? undefined : parseReference(text);

interface Diffs {
  readonly files: readonly FileDiff[];
  /** Paths beyond those. */
  readonly more: number;
  /** What was compared. */
  readonly title: string;
}

async function diffOperation(invocation: Invocation, retrace: Retrace, reference: Reference): Promise<Diffs> {
  if (reference.by === 'session') throw new UsageError('a session has a log: retrace log --session ID');
  const records = await recordsOf(retrace, reference, (text) => invocation.progress.update(text));
  if (records.length === 0) throw new RetraceError('not_found', 'it changed nothing: there is nothing to compare');
  const changes = changesOf(records);
  const read = readStored(retrace);
  const files: FileDiff[] = [];
  for (const change of changes.slice(0, MAX_FILES)) {
    files.push(await diffOf(change, read));
    invocation.progress.update(`comparing: ${files.length} of ${changes.length} paths`);
  }
  return { files, more: changes.length - files.length, title: `what ${records[0]!.logical_operation_id} changed` };
}

function print(invocation: Invocation, retrace: Retrace, { files, more, title }: Diffs): void {
  const raw = !invocation.io.stdoutIsTty;
  invocation.print((screen) => renderDiffs(files, { more, title, raw }, screen), {
    workspace: retrace.workspace,
    compared: title,
    files,
    more,
  });
}
