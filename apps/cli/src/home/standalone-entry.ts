import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CommandFailed } from '../usage-error.js';

/** Finds the program that is the whole system: upwards from this file to the folder that holds it. */
export function findStandalone(from: string = fileURLToPath(import.meta.url)): string {
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const app = join(folder, 'apps', 'standalone');
    if (existsSync(app)) return built(join(app, 'dist', 'main.js'));
    if (dirname(folder) === folder)
      throw new CommandFailed('not_built', `no apps/standalone above ${dirname(from)}`, 'run this from a checkout');
  }
}

function built(entry: string): string {
  if (existsSync(entry)) return entry;
  throw new CommandFailed('not_built', `${entry} is not there`, 'npm run build');
}
