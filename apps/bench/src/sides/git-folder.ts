import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);
const SETUP = [
  'git init -q',
  'git config user.name bench',
  'git config user.email bench@localhost',
  'git config commit.gpgsign false',
  // Otherwise it would pack in the background while others are measured.
  'git config gc.auto 0',
].join(' && ');

/** A history made by hand: a commit after every write. */
export class GitFolder {
  constructor(private readonly folder: string) {}

  async start(): Promise<void> {
    mkdirSync(this.folder, { recursive: true });
    await this.shell(SETUP);
  }

  async write(path: string, content: string): Promise<void> {
    writeFileSync(join(this.folder, path), content);
    await this.shell('git add -A && git commit -q -m write');
  }

  private async shell(command: string): Promise<void> {
    await run('sh', ['-c', command], { cwd: this.folder });
  }
}
