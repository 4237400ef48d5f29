import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const CALL = /\bfailpoint\(([^)]*)\)/g;
const LITERAL = /^'([a-z-]+\.[a-z-]+)'$/;

/**
 * Every failpoint in the sources below these folders, so that a new one is tried without anybody thinking of it. Throws
 * where one is no literal `'area.place'`, or stands twice: nobody could tell where a process died.
 */
export function failpointNames(folders: readonly string[] = [join(ROOT, 'apps'), join(ROOT, 'libs')]): string[] {
  const calls = folders.flatMap(sourcesIn).flatMap((file) => [...readFileSync(file, 'utf8').matchAll(CALL)]);
  const names = calls.map(([, argument]) => argument!).filter((argument) => !DECLARATION.test(argument));
  const wrong = names.filter((name, i) => !LITERAL.test(name) || names.indexOf(name) !== i);
  if (wrong.length > 0) throw new Error(`failpoints that are no literal, or stand twice: ${wrong.join(', ')}`);
  return names.map((name) => name.slice(1, -1)).toSorted();
}

/** `failpoint(name: string)` itself. */
const DECLARATION = /^\w+: string$/;

function sourcesIn(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sourcesIn(path);
    return entry.name.endsWith('.ts') && !/(spec|testing)\.ts$/.test(entry.name) ? [path] : [];
  });
}
