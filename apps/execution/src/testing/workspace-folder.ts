import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';

/** A folder to be taken under care, and one for the store, both temporary. */
export class WorkspaceFolder {
  readonly root: string;
  readonly data: string;

  constructor(readonly top: string = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'execution-')))) {
    this.root = path.join(top, 'ws');
    this.data = path.join(top, 'data');
    fs.mkdirSync(this.root, { recursive: true });
    fs.mkdirSync(this.data, { recursive: true });
  }

  full = (name: string): string => path.join(this.root, name);
  bytes = (name: string): Buffer => fs.readFileSync(this.full(name));
  text = (name: string): string => this.bytes(name).toString();
  mode = (name: string): number => fs.statSync(this.full(name)).mode & 0o7777;

  /** Writes a file with exactly this mode, folders on the way included. */
  put(name: string, content: Uint8Array | string, mode = 0o644): void {
    fs.mkdirSync(path.dirname(this.full(name)), { recursive: true });
    fs.writeFileSync(this.full(name), content);
    fs.chmodSync(this.full(name), mode);
  }

  /** Names in staging. */
  staged = (): string[] => fs.readdirSync(this.full('.retrace/staging'));

  /** Everything but the control folder: name → kind, mode, bytes or target. */
  tree(below = ''): Record<string, string> {
    const tree: Record<string, string> = {};
    for (const entry of fs.readdirSync(this.full(below), { withFileTypes: true })) {
      const name = path.join(below, entry.name);
      if (name === '.retrace') continue;
      tree[name] = describe(this.full(name));
      if (entry.isDirectory()) Object.assign(tree, this.tree(name));
    }
    return tree;
  }

  dispose(): void {
    fs.rmSync(this.top, { recursive: true, force: true });
  }
}

function describe(full: string): string {
  const stat = fs.lstatSync(full);
  const mode = (stat.mode & 0o7777).toString(8);
  if (stat.isSymbolicLink()) return `link ${fs.readlinkSync(full)}`;
  if (stat.isDirectory()) return `folder ${mode}`;
  return stat.isFile() ? `file ${mode} ${shortly(fs.readFileSync(full))}` : `other ${mode}`;
}

const shortly = (content: Buffer): string =>
  content.length <= 200 ? content.toString('base64') : createHash('sha256').update(content).digest('hex');
