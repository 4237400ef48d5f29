import type { Retrace } from '@retrace/client';
import {
  canonicalPath,
  type Principal,
  RetraceError,
  type Selection,
  type SessionId,
  type WorkspacePath,
} from '@retrace/contracts';
import { UsageError } from '../usage-error.js';
import type { Place } from './moment.js';
import { parseReference, selectionOf } from './references.js';

/** What `undo` can be told to take back. */
export interface SelectionFlags {
  readonly step?: number | undefined;
  readonly agent?: Principal | undefined;
  /** A glob. */
  readonly path?: string | undefined;
  /** Literally. */
  readonly file?: string | undefined;
  readonly below?: boolean | undefined;
  readonly created?: boolean | undefined;
  readonly since?: Place | undefined;
}

export interface SelectionWords extends SelectionFlags {
  readonly id: string | undefined;
  /** As given for this command. */
  readonly session: SessionId | undefined;
  /** Where a session is needed and none is given: that of the environment. */
  readonly sessionAround: SessionId | undefined;
}

/** Throws {@link UsageError} where the words name nothing, or more than one thing. */
export function checkSelection(words: SelectionWords): void {
  checkTogether(words);
  if (words.id !== undefined) parseReference(words.id);
  const { id, session, step, agent, path, file, created, since } = words;
  if ([id, session, step, agent, path, file, created, since].every((one) => one === undefined))
    throw new UsageError('undo what? Give an id or a number of the log, or one of the selections of --help');
}

/** Says what is to be taken back, of words that were checked. */
export async function undoSelection(retrace: Retrace, words: SelectionWords): Promise<Selection> {
  const { id, step, created, file, path } = words;
  if (id !== undefined) return selectionOf(retrace, parseReference(id));
  if (step !== undefined) return { by: 'step', session_id: await sessionFor(retrace, words), step };
  if (created) {
    const session_id = await sessionFor(retrace, words);
    return { by: 'created', session_id, ...(path !== undefined && { glob: path }) };
  }
  if (file !== undefined)
    return { by: 'path', path: literal(file), ...(words.below && { below: true }), ...narrowing(words) };
  if (path !== undefined) return { by: 'glob', glob: path, ...narrowing(words) };
  return wide(words);
}

/** No path is named. */
function wide(words: SelectionWords): Selection {
  const { agent, session, since } = words;
  if (agent !== undefined) return { by: 'agent', ...narrowing(words), agent };
  if (since !== undefined) return { by: 'since', ...narrowing(words) };
  return { by: 'session', session_id: session! };
}

function narrowing({ session, agent, since }: SelectionWords) {
  return {
    ...(session !== undefined && { session_id: session }),
    ...(agent !== undefined && { agent }),
    ...(since !== undefined && ('time' in since ? { since_time: since.time } : { since_sequence: since.sequence })),
  };
}

/** Which selections make sense of each other. */
function checkTogether({ id, session, step, agent, path, file, below, created, since }: SelectionWords): void {
  const refuse = (what: string): never => {
    throw new UsageError(what);
  };
  const others = [step, agent, path, file, created, since].filter((one) => one !== undefined).length;
  if (id !== undefined && (others > 0 || session !== undefined)) refuse('an id says it all: leave out the selections');
  if (path !== undefined && file !== undefined) refuse('give --path GLOB or --file PATH, not both');
  if (below && file === undefined) refuse('--below belongs to --file PATH');
  if (step !== undefined && others > (agent === undefined ? 1 : 2))
    refuse('--step goes with --session or --agent alone');
  if (created && (since !== undefined || file !== undefined)) refuse('--created goes with --session and --path alone');
}

function literal(typed: string): WorkspacePath {
  const parsed = canonicalPath(typed);
  if (parsed.ok) return parsed.path;
  throw new UsageError(`--file ${parsed.message}`);
}

/** The session that is given, that of the environment, or the newest one that changed something (of that agent). */
async function sessionFor(retrace: Retrace, { session, sessionAround, agent }: SelectionWords): Promise<SessionId> {
  const given = session ?? (agent === undefined ? sessionAround : undefined);
  if (given !== undefined) return given;
  const { sessions } = await retrace.sessions();
  const able = sessions.filter((one) => one.operations > 0 && (agent === undefined || one.agent === agent));
  const newest = able.toSorted((a, b) => b.opened_at.localeCompare(a.opened_at))[0];
  if (newest) return newest.session_id;
  throw new RetraceError('nothing_selected', `no session in ${retrace.workspace} changed anything: nothing to undo`);
}
