import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { cluster, standalone } from './launchers.js';
import { setStage } from './stage.js';
import { Story } from './story.js';

const NOTES_APP = fileURLToPath(new URL('../../../examples/notes-app', import.meta.url));
const USAGE = 'npm run demo [-- [--cluster] [--keep] [DIR]]   plays the main job on a copy of DIR (examples/notes-app)';

/** What is written with this mask has the modes that the shadow has. */
process.umask(0o022);

function parse() {
  const options = {
    cluster: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
    keep: { type: 'boolean', default: false },
  } as const;
  const { values, positionals } = parseArgs({ options, allowPositionals: true });
  const source = positionals[0] ?? NOTES_APP;
  if (positionals.length > 1) throw new Error(USAGE);
  if (!statSync(source, { throwIfNoEntry: false })?.isDirectory()) throw new Error(`${source} is no folder\n${USAGE}`);
  return { ...values, source };
}

const narrator = {
  step: (title: string, detail: string) => process.stdout.write(`✓ ${title}\n  ${detail}\n`),
  show: (text: string) => process.stdout.write(`${text.trimEnd().replaceAll(/^/gm, '  │ ')}\n`),
};

try {
  const { source, cluster: inProcesses, help, keep } = parse();
  if (help) process.stdout.write(`${USAGE}\n`);
  else {
    const stage = setStage(source);
    // Ctrl-C ends the step under way and takes the system down; the folder goes in any case.
    const interrupted = new AbortController();
    for (const signal of ['SIGINT', 'SIGTERM'] as const)
      process.on(signal, () => interrupted.abort(new Error(`interrupted by ${signal}`)));
    try {
      await new Story(stage, inProcesses ? cluster : standalone, narrator).tell(interrupted.signal);
      process.stdout.write('All of it is true.\n');
    } catch (error) {
      // The signal reached the step's own processes, too: what they say then is not the reason.
      throw interrupted.signal.aborted ? interrupted.signal.reason : error;
    } finally {
      if (keep) process.stdout.write(`kept: ${stage.folder}\n`);
      else stage.clear();
    }
  }
} catch (error) {
  process.stderr.write(`✗ ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
