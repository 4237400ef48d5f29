import type { Retrace } from '@retrace/client';
import {
  describePathState,
  type OperationId,
  OperationIdSchema,
  type PathState,
  RetraceError,
} from '@retrace/contracts';
import { by, wholeNumber } from '../globals.js';
import { UsageError } from '../usage-error.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

interface CatFlags {
  readonly at?: number;
  readonly op?: OperationId;
}

interface Version {
  readonly path: string;
  readonly state: PathState;
  /** `null`: as it stands, recorded or not. */
  readonly sequence: number | null;
  readonly bytes: Uint8Array;
}

const EXAMPLES = ['retrace cat docs/a.md', 'retrace cat docs/a.md --at 1042 > before.md'];

export const catCommand: CommandFactory = (runner) =>
  describeCommand('cat', EXAMPLES)
    .argument('<path>', PATH_HELP)
    .option('--at <seq>', 'as it was after this number of the log', wholeNumber(1))
    .option('--op <id>', 'as this operation left it', by(OperationIdSchema))
    .action(
      runner.action<CatFlags, [string]>(async (invocation, flags, path) => {
        if (flags.at !== undefined && flags.op !== undefined) throw new UsageError('give --at or --op, not both');
        const version = await readVersion(await invocation.upToDate(), path, flags);
        if (invocation.globals.json) invocation.print(() => '', versionJson(version));
        else invocation.write(version.bytes);
      }),
    );

async function readVersion(retrace: Retrace, typed: string, { at, op }: CatFlags): Promise<Version> {
  if (at === undefined && op === undefined) {
    const { path, state, bytes } = await retrace.read(typed);
    return { path, state, bytes, sequence: null };
  }
  const { path, state, sequence } = await retrace.version({ path: typed, at_sequence: at, operation_id: op });
  if (state.kind !== 'file')
    throw new RetraceError('not_a_file', `${path} at ${sequence}: ${describePathState(state)}`);
  return { path, state, sequence, bytes: await retrace.readBlob(state.hash) };
}

function versionJson({ bytes, ...version }: Version): unknown {
  const text = Buffer.from(bytes).toString('utf8');
  const isText = Buffer.from(text, 'utf8').equals(bytes);
  return { ...version, ...(isText ? { content: text } : { content_base64: Buffer.from(bytes).toString('base64') }) };
}
