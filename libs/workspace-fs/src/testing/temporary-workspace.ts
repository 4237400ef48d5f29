import { BlobHashSchema, type PathState } from '@retrace/contracts';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { openWorkspaceRoot, type WorkspaceRoot } from '../control-folder.js';

/** A workspace in the temporary folder; `outside` lies beside it. */
export interface TemporaryWorkspace {
  root: WorkspaceRoot;
  folder: string;
  outside: string;
  /** Writes a file with exactly this mode, folders on the way included. */
  put(name: string, content: string, mode?: number): void;
  full(name: string): string;
  dispose(): void;
}

export function temporaryWorkspace(): TemporaryWorkspace {
  const top = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'workspace-fs-')));
  const [folder, outside] = [path.join(top, 'inside'), path.join(top, 'outside')];
  fs.mkdirSync(folder);
  fs.mkdirSync(outside);
  const root = openWorkspaceRoot(folder);
  const full = (name: string): string => path.join(folder, name);
  return {
    root,
    folder,
    outside,
    full,
    put(name, content, mode = 0o644) {
      fs.mkdirSync(path.dirname(full(name)), { recursive: true });
      fs.writeFileSync(full(name), content);
      fs.chmodSync(full(name), mode);
    },
    dispose() {
      root.close();
      fs.rmSync(top, { recursive: true, force: true });
    },
  };
}

export const fileOf = (content: string | Buffer, mode = 0o644): PathState & { kind: 'file' } => ({
  kind: 'file',
  hash: BlobHashSchema.parse(createHash('sha256').update(content).digest('hex')),
  size: Buffer.byteLength(content),
  mode,
});
export const folderOf = (mode = 0o755): PathState => ({ kind: 'directory', mode });
export const linkTo = (target: string): PathState => ({ kind: 'link', target });

function describe(full: string): string {
  const stat = fs.lstatSync(full);
  const mode = (stat.mode & 0o7777).toString(8);
  if (stat.isSymbolicLink()) return `link ${fs.readlinkSync(full)}`;
  if (stat.isDirectory()) return `folder ${mode}`;
  return stat.isFile() ? `file ${mode} ${fs.readFileSync(full, 'base64')}` : `other ${mode}`;
}

/** Everything below a folder, links not followed, the control folder left out: name → kind, mode, bytes or target. */
export function treeOf(folder: string, below = ''): Record<string, string> {
  const tree: Record<string, string> = {};
  for (const entry of fs.readdirSync(path.join(folder, below), { withFileTypes: true })) {
    const name = path.join(below, entry.name);
    if (name === '.retrace') continue;
    tree[name] = describe(path.join(folder, name));
    if (entry.isDirectory()) Object.assign(tree, treeOf(folder, name));
  }
  return tree;
}
