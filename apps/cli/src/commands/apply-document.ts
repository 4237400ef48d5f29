import type { Content, OperationInput } from '@retrace/client';
import { AskedModeSchema, PathStateSchema, WriteModeSchema } from '@retrace/contracts';
import { z } from 'zod';
import { UsageError } from '../usage-error.js';

const common = { path: z.string(), expected: PathStateSchema.optional() };
/** One of these; `file` is read on this machine, named from the current folder. */
const content = { content: z.string().optional(), content_base64: z.base64().optional(), file: z.string().optional() };
/** As chmod writes it, or as the number that it is. */
const ModeSchema = z
  .union([
    z
      .string()
      .regex(/^0?[0-7]{3}$/, 'permission bits in octal, such as "644"')
      .transform((text) => Number.parseInt(text, 8)),
    z.int(),
  ])
  .pipe(AskedModeSchema);
const mode = ModeSchema.optional();
const flag = z.boolean().optional();
const transfer = { to: z.string(), overwrite: flag };
const write_mode = WriteModeSchema.optional();
const EditSchema = z.strictObject({ old_text: z.string().min(1), new_text: z.string(), all: z.boolean().optional() });

const ItemSchema = z.discriminatedUnion('action', [
  z.strictObject({ action: z.literal('create'), ...common, ...content, mode }),
  z.strictObject({ action: z.literal('write'), ...common, ...content, mode, write_mode }),
  z.strictObject({ action: z.literal('edit'), ...common, edits: z.array(EditSchema).min(1), write_mode }),
  z.strictObject({ action: z.literal('append'), ...common, ...content, mode, write_mode }),
  z.strictObject({ action: z.literal('mkdir'), ...common, mode, parents: flag }),
  z.strictObject({ action: z.literal('delete'), ...common, recursive: flag }),
  z.strictObject({ action: z.literal('rmdir'), ...common }),
  z.strictObject({ action: z.literal('chmod'), ...common, mode: ModeSchema }),
  z.strictObject({ action: z.literal('symlink'), ...common, target: z.string() }),
  z.strictObject({ action: z.literal('move'), ...common, ...transfer }),
  z.strictObject({ action: z.literal('copy'), ...common, ...transfer, recursive: flag }),
]);
type Item = z.infer<typeof ItemSchema>;

const ACTIONS = ItemSchema.options.map(({ shape }) => shape.action.value);

/** `{ "create": "a.md", … }` is `{ "action": "create", "path": "a.md", … }`. */
function longForm(item: unknown): unknown {
  if (typeof item !== 'object' || item === null || 'action' in item) return item;
  const fields = item as Record<string, unknown>;
  const named = ACTIONS.filter((action) => action in fields);
  if (named.length !== 1) return item;
  const action = named[0]!;
  const { [action]: path, ...rest } = fields;
  return { action, path, ...rest };
}

const DocumentSchema = z
  .array(z.preprocess(longForm, ItemSchema), 'a JSON list of operations')
  .min(1, 'at least one operation');

/** Reads a list of operations. Throws {@link UsageError} that says which one is wrong, and how. */
export async function parseApplyDocument(
  text: string,
  readLocal: (file: string) => Promise<Content>,
): Promise<OperationInput[]> {
  const parsed = DocumentSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new UsageError(z.prettifyError(parsed.error));
  return Promise.all(parsed.data.map((item, index) => toOperation(item, index, readLocal)));
}

async function toOperation(
  item: Item,
  index: number,
  readLocal: (file: string) => Promise<Content>,
): Promise<OperationInput> {
  const { path, expected } = item;
  switch (item.action) {
    case 'create':
      return { create: path, content: await contentOf(item, index, readLocal), mode: item.mode, expected };
    case 'write': {
      const body = await contentOf(item, index, readLocal);
      return { write: path, content: body, mode: item.mode, writeMode: item.write_mode, expected };
    }
    case 'edit': {
      const edits = item.edits.map(({ old_text, new_text, all }) => ({ oldText: old_text, newText: new_text, all }));
      return { edit: path, edits, writeMode: item.write_mode, expected };
    }
    case 'append': {
      const body = await contentOf(item, index, readLocal);
      return { append: path, content: body, mode: item.mode, writeMode: item.write_mode, expected };
    }
    case 'chmod':
    case 'copy':
    case 'delete':
    case 'mkdir':
    case 'move':
    case 'rmdir':
    case 'symlink':
      return pathOperation(item);
  }
}

/** What needs no content. */
function pathOperation(item: Exclude<Item, { action: ContentAction | 'edit' }>): OperationInput {
  const { path, expected } = item;
  switch (item.action) {
    case 'mkdir':
      return { mkdir: path, mode: item.mode, parents: item.parents, expected };
    case 'delete':
      return { delete: path, recursive: item.recursive, expected };
    case 'rmdir':
      return { rmdir: path, expected };
    case 'chmod':
      return { chmod: path, mode: item.mode, expected };
    case 'symlink':
      return { symlink: path, target: item.target, expected };
    case 'move':
      return { move: path, to: item.to, overwrite: item.overwrite, expected };
    case 'copy':
      return { copy: path, to: item.to, recursive: item.recursive, overwrite: item.overwrite, expected };
  }
}

type ContentAction = 'create' | 'write' | 'append';

async function contentOf(
  item: Extract<Item, { action: ContentAction }>,
  index: number,
  readLocal: (file: string) => Promise<Content>,
): Promise<Content> {
  const given = [item.content, item.content_base64, item.file].filter((one) => one !== undefined);
  if (given.length !== 1)
    throw new UsageError(`operation ${index} (${item.path}): give one of content, content_base64 and file`);
  if (item.content !== undefined) return item.content;
  if (item.content_base64 !== undefined) return Buffer.from(item.content_base64, 'base64');
  return readLocal(given[0]!);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new UsageError(`this is no JSON: ${(cause as Error).message}`, { cause });
  }
}
