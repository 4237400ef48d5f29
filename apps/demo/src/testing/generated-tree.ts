import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDERS = 100;

/**
 * A tree of `count` files: text with both endings, with a byte-order mark, without a last line end, executables, binary
 * and empty files, odd names, links, and repositories within (a `.git` folder, and a `.git` file as submodules have).
 */
export function generateTree(root: string, count: number): void {
  for (let i = 0; i < FOLDERS; i += 1) mkdirSync(join(root, folderOf(i)), { recursive: true });
  for (let i = 0; i < count; i += 1) {
    const { name, content, mode } = fileOf(i);
    writeFileSync(join(root, folderOf(i), name), content, { mode });
  }
  repository(join(root, folderOf(3), 'vendor'));
  repository(join(root, folderOf(7), 'third party'));
  writeFileSync(join(root, folderOf(9), '.git'), 'gitdir: ../../.git/modules/nine\n');
  symlinkSync('nowhere', join(root, folderOf(1), 'dangling'));
  symlinkSync(folderOf(2).split('/').at(-1)!, join(root, folderOf(1), '..', 'to-a-folder'));
}

const folderOf = (i: number): string => `src/area ${(i % FOLDERS) % 10}/part-${i % FOLDERS}`;

interface Generated {
  readonly name: string;
  readonly content: string | Buffer;
  readonly mode: number;
}

function fileOf(i: number): Generated {
  const line = `file ${i} stands here`;
  switch (i % 12) {
    case 0:
      return { name: `crlf-${i}.txt`, content: `${line}\r\nand ends so\r\n`, mode: 0o644 };
    case 1:
      return { name: `mark-${i}.txt`, content: `\uFEFF${line}\n`, mode: 0o644 };
    case 2:
      return { name: `script-${i}.sh`, content: `#!/bin/sh\necho ${line}\n`, mode: 0o755 };
    case 3:
      return { name: `binary-${i}.bin`, content: Buffer.from([0, 1, 2, 255, i % 256]), mode: 0o644 };
    case 4:
      return { name: `empty-${i}`, content: '', mode: 0o644 };
    case 5:
      return { name: `[id] ${i} ü.md`, content: `${line}, no line end`, mode: 0o644 };
    default:
      return { name: `plain-${i}.txt`, content: `${line}\nsecond line\n`, mode: 0o644 };
  }
}

function repository(folder: string): void {
  mkdirSync(join(folder, '.git/refs/heads'), { recursive: true });
  writeFileSync(join(folder, '.git/HEAD'), 'ref: refs/heads/main\n');
  writeFileSync(join(folder, '.git/config'), '[core]\n\tbare = false\n');
  writeFileSync(join(folder, 'x.c'), 'int x;\n');
}
