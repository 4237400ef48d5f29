import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Writes files the way careful programs do: beside, then renamed. Nothing is recorded, nothing can be taken back. */
export function writeRaw(folder: string, contents: ReadonlyMap<string, string>): void {
  mkdirSync(folder, { recursive: true });
  for (const [name, content] of contents) {
    const path = join(folder, name);
    writeFileSync(`${path}.tmp`, content);
    renameSync(`${path}.tmp`, path);
  }
}
