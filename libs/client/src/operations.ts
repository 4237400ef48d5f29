import {
  type EditScript,
  type OperationRequest,
  OperationRequestSchema,
  type PathState,
  type WriteMode,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { type Content, nameContent, type NamedContent } from './content/content.js';

export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** Replace every match; else more than one match is refused. */
  readonly all?: boolean | undefined;
}

interface Common {
  /** What the caller last saw there; anything else found refuses the logical operation. */
  readonly expected?: PathState | undefined;
}
interface WithMode extends Common {
  /** Permission bits, at most 0777: no set-id, no sticky. */
  readonly mode?: number | undefined;
}
interface WithWriteMode extends Common {
  readonly writeMode?: WriteMode | undefined;
}

/** One operation, named by its key, which holds the path. */
export type OperationInput =
  | ({ readonly create: string; readonly content: Content } & WithMode)
  | ({ readonly write: string; readonly content: Content } & WithMode & WithWriteMode)
  | ({ readonly edit: string; readonly edits: readonly Edit[] } & WithWriteMode)
  | ({ readonly mkdir: string } & WithMode)
  | ({ readonly delete: string } & Common)
  /** As it travels; its content must have been put. */
  | OperationRequest;

export interface BuiltOperation {
  readonly request: OperationRequest;
  readonly content?: NamedContent;
}

/** Turns an input into what travels, and the content that must be put. Mints the operation's id. */
export function buildOperation(input: OperationInput): BuiltOperation {
  if ('action' in input) return { request: input };
  const common = { operation_id: newId('op'), ...present({ expected: input.expected }) };
  if ('create' in input) {
    const content = nameContent(input.content);
    const mode = present({ mode: input.mode });
    return { request: { ...common, action: 'create', path: input.create, ...named(content), ...mode }, content };
  }
  if ('write' in input) {
    const content = nameContent(input.content);
    const modes = present({ mode: input.mode, write_mode: input.writeMode });
    return { request: { ...common, action: 'write', path: input.write, ...named(content), ...modes }, content };
  }
  if ('edit' in input) {
    const content = nameContent(JSON.stringify(editScript(input.edits)));
    const modes = present({ write_mode: input.writeMode });
    return { request: { ...common, action: 'edit', path: input.edit, ...named(content), ...modes }, content };
  }
  if ('mkdir' in input)
    return { request: { ...common, action: 'mkdir', path: input.mkdir, ...present({ mode: input.mode }) } };
  return { request: { ...common, action: 'delete', path: input.delete } };
}

export const isOperationRequest = (value: unknown): value is OperationRequest =>
  OperationRequestSchema.safeParse(value).success;

const editScript = (edits: readonly Edit[]): EditScript => ({
  edits: edits.map(({ oldText, newText, all }) => ({ old_text: oldText, new_text: newText, ...present({ all }) })),
});

const named = ({ hash, size }: NamedContent) => ({ content_hash: hash, size });

type Present<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Drops what is undefined: absent fields do not travel. */
export const present = <T extends Record<string, unknown>>(fields: T): Present<T> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Present<T>;
