import { type EditScript, type OperationRequest, type PathState, type WriteMode } from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import type { Content, StoredContent } from './content/content.js';
import type { Expected, Touch } from './memory/session-memory.js';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** Replace every match; else more than one match is refused. */
  readonly all?: boolean | undefined;
}

interface Common {
  /**
   * What the caller last saw at the path; anything else found refuses the logical operation. Without it, what the
   * session last read or left there; `any`: whatever stands there.
   */
  readonly expected?: Expected | undefined;
}
interface WithMode extends Common {
  /** Permission bits, at most 0777: no set-id, no sticky. */
  readonly mode?: number | undefined;
}
interface WithWriteMode extends Common {
  readonly writeMode?: WriteMode | undefined;
}
interface Transfer extends Common {
  /** The new path itself, not a folder to put it into. */
  readonly to: string;
  /** A file or link that stands there is replaced; else anything there refuses. */
  readonly overwrite?: boolean | undefined;
}

/** One operation, named by its key, which holds the path. */
export type OperationInput =
  | ({ readonly create: string; readonly content: Content } & WithMode)
  | ({ readonly write: string; readonly content: Content } & WithMode & WithWriteMode)
  | ({ readonly edit: string; readonly edits: readonly Edit[] } & WithWriteMode)
  | ({ readonly append: string; readonly content: Content } & WithMode & WithWriteMode)
  | ({ readonly mkdir: string; readonly parents?: boolean | undefined } & WithMode)
  | ({ readonly rmdir: string } & Common)
  | ({ readonly chmod: string; readonly mode: number } & Common)
  | ({ readonly symlink: string; readonly target: string } & Common)
  | ({ readonly move: string } & Transfer)
  | ({ readonly copy: string; readonly recursive?: boolean | undefined } & Transfer)
  | ({ readonly delete: string; readonly recursive?: boolean | undefined } & Common)
  /** As it travels; its content must have been put, and nothing is expected but what it says. */
  | OperationRequest;

/** An operation before its content has a name. */
export interface Draft {
  readonly touch: Touch;
  readonly content?: Content | undefined;
  /** What travels. `stored` names the content, where there is one. */
  readonly request: (expected: PathState | undefined, stored: StoredContent | undefined) => OperationRequest;
}

/** Reads an input. Mints the operation's id. Throws TypeError where it is no operation. */
export function draftOperation(input: OperationInput): Draft {
  if ('action' in input) return asItTravels(input);
  const id = newId('op');
  const { path, uses, to, content, fields } = partsOf(input);
  return {
    touch: { path, to, expected: input.expected, uses },
    content,
    request: (expected, stored) =>
      ({
        operation_id: id,
        path,
        ...present({ expected, content_hash: stored?.hash, size: stored?.size, to }),
        ...present(fields),
      }) as OperationRequest,
  };
}

interface Parts {
  readonly path: string;
  readonly uses: Touch['uses'];
  readonly to?: string;
  readonly content?: Content;
  readonly fields: { readonly action: OperationRequest['action'] } & Record<string, unknown>;
}

type Verbs = Exclude<OperationInput, OperationRequest>;

/**
 * `create`, `symlink` and `mkdir` refuse or keep what stands there, a copy leaves its source, and an append loses nothing
 * that others added: no memory is needed.
 */
function partsOf(input: Verbs): Parts {
  if ('create' in input) {
    const { create: path, content, mode } = input;
    return { path, uses: 'nothing', content, fields: { action: 'create', mode } };
  }
  if ('write' in input) {
    const { write: path, content, mode, writeMode: write_mode } = input;
    return { path, uses: 'follows', content, fields: { action: 'write', mode, write_mode } };
  }
  if ('edit' in input) {
    const { edit: path, edits, writeMode: write_mode } = input;
    return {
      path,
      uses: 'follows',
      content: JSON.stringify(editScript(edits)),
      fields: { action: 'edit', write_mode },
    };
  }
  if ('append' in input) {
    const { append: path, content, mode, writeMode: write_mode } = input;
    return { path, uses: 'nothing', content, fields: { action: 'append', mode, write_mode } };
  }
  if ('chmod' in input) return { path: input.chmod, uses: 'follows', fields: { action: 'chmod', mode: input.mode } };
  return partsWithoutContent(input);
}

function partsWithoutContent(
  input: Exclude<
    Verbs,
    { create: string } | { write: string } | { edit: string } | { append: string } | { chmod: string }
  >,
): Parts {
  if ('mkdir' in input) {
    const { mkdir: path, mode, parents } = input;
    return { path, uses: 'nothing', fields: { action: 'mkdir', mode, parents } };
  }
  if ('rmdir' in input) return { path: input.rmdir, uses: 'itself', fields: { action: 'rmdir' } };
  if ('symlink' in input) {
    const { symlink: path, target } = input;
    return { path, uses: 'nothing', fields: { action: 'symlink', target } };
  }
  if ('move' in input) {
    const { move: path, to, overwrite } = input;
    return { path, to, uses: 'itself', fields: { action: 'move', overwrite } };
  }
  if ('copy' in input) {
    const { copy: path, to, overwrite, recursive } = input;
    return { path, to, uses: 'nothing', fields: { action: 'copy', overwrite, recursive } };
  }
  if ('delete' in input) {
    const { delete: path, recursive } = input;
    return { path, uses: 'itself', fields: { action: 'delete', recursive } };
  }
  throw new TypeError(`no operation: ${JSON.stringify(input)}. Its key names the verb, such as {write: path, content}`);
}

const asItTravels = (request: OperationRequest): Draft => ({
  touch: { path: request.path, to: 'to' in request ? request.to : undefined, expected: 'any', uses: 'nothing' },
  request: () => request,
});

const editScript = (edits: readonly Edit[]): EditScript => ({
  edits: edits.map(({ oldText, newText, all }) => ({ old_text: oldText, new_text: newText, ...present({ all }) })),
});

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Drops what is undefined: absent fields do not travel. */
export const present = <T extends Record<string, unknown>>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
