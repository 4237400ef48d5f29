import { spawnSync } from 'node:child_process';

/** Names, kinds, modes and link targets of all but the control folder, then the bytes of every file. */
const LIST = "find . -path ./.retrace -prune -o -printf '%y %m %p %l\\n'";
const BYTES = 'find . -path ./.retrace -prune -o -type f -print0 | xargs -0 -r sha256sum';
const SCRIPT = `{ ${LIST}; ${BYTES}; } | LC_ALL=C sort | sha256sum | cut -d" " -f1`;

/** The hash of a tree by `find` and `sha256sum` alone: nothing of Retrace has a part in it. */
export function treeHash(folder: string): string {
  return run(SCRIPT, folder).trim();
}

/** What differs between two trees, a line each: for the message of a step that failed. */
export function treeDifference(expected: string, found: string): string {
  const listing = `{ ${LIST}; ${BYTES}; } | LC_ALL=C sort`;
  const lines = (folder: string): Set<string> => new Set(run(listing, folder).split('\n'));
  const [a, b] = [lines(expected), lines(found)];
  const missing = [...a].filter((line) => !b.has(line)).map((line) => `- ${line}`);
  const added = [...b].filter((line) => !a.has(line)).map((line) => `+ ${line}`);
  return [...missing, ...added].slice(0, 20).join('\n');
}

function run(script: string, cwd: string): string {
  const { status, stdout, stderr } = spawnSync('bash', ['-c', `set -o pipefail; ${script}`], {
    cwd,
    encoding: 'utf8',
    maxBuffer: 1 << 30,
  });
  if (status !== 0) throw new Error(`tree hash of ${cwd}: ${stderr}`);
  return stdout;
}
