import { z } from 'zod';

/** A sha256 in lower-case hex: the name of a blob. */
export const BlobHashSchema = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'a sha256 in lower-case hex')
  .brand<'BlobHash'>();
export type BlobHash = z.infer<typeof BlobHashSchema>;

/** Permission bits as they are found (07777), without the file type. */
export const ModeSchema = z.int().min(0).max(0o7777);

/** Permission bits that can be asked for: none that lend the owner's or group's rights (set-id), nor sticky. */
export const AskedModeSchema = z.int().min(0).max(0o777, 'permission bits without set-id and sticky, at most 0777');

export const AbsentStateSchema = z.object({ kind: z.literal('absent') });
export const FileStateSchema = z.object({
  kind: z.literal('file'),
  hash: BlobHashSchema,
  size: z.int().min(0),
  mode: ModeSchema,
});
export const DirectoryStateSchema = z.object({ kind: z.literal('directory'), mode: ModeSchema });
export const LinkStateSchema = z.object({ kind: z.literal('link'), target: z.string() });
/** FIFO, socket, device: named, never opened, never replaced. */
export const OtherStateSchema = z.object({ kind: z.literal('other'), type: z.string() });

/** What stands at one path: the pre-image or post-image of an operation. */
export const PathStateSchema = z.discriminatedUnion('kind', [
  AbsentStateSchema,
  FileStateSchema,
  DirectoryStateSchema,
  LinkStateSchema,
  OtherStateSchema,
]);
export type PathState = z.infer<typeof PathStateSchema>;
export type FileState = z.infer<typeof FileStateSchema>;

export const ABSENT: PathState = { kind: 'absent' };

/** Answers whether two states are the same bytes, kind and mode. */
export function samePathState(a: PathState, b: PathState): boolean {
  switch (a.kind) {
    case 'absent':
      return b.kind === 'absent';
    case 'file':
      return b.kind === 'file' && a.hash === b.hash && a.size === b.size && a.mode === b.mode;
    case 'directory':
      return b.kind === 'directory' && a.mode === b.mode;
    case 'link':
      return b.kind === 'link' && a.target === b.target;
    case 'other':
      return b.kind === 'other' && a.type === b.type;
  }
}

/** Describes a state in a few words for error messages and tables. */
export function describePathState(state: PathState): string {
  switch (state.kind) {
    case 'absent':
      return 'absent';
    case 'file':
      return `file ${state.hash.slice(0, 12)} (${state.size} bytes, mode ${state.mode.toString(8).padStart(4, '0')})`;
    case 'directory':
      return `directory (mode ${state.mode.toString(8).padStart(4, '0')})`;
    case 'link':
      return `link to ${JSON.stringify(state.target)}`;
    case 'other':
      return state.type;
  }
}
