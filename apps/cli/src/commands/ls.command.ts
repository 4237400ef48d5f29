import { renderListing } from '../render/listing.render.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

const EXAMPLES = ['retrace ls', 'retrace ls docs', 'retrace ls docs --as writer --json'];
const NOTE = 'It shows what the caller may read, and never what Retrace keeps for itself.';

export const lsCommand: CommandFactory = (runner) =>
  describeCommand('ls', EXAMPLES, NOTE)
    .argument('[path]', `a folder, ${PATH_HELP} (default: the root)`)
    .action(
      runner.action<object, [string | undefined]>(async (invocation, _options, path = '.') => {
        const retrace = await invocation.retrace();
        const entries = await retrace.list(path);
        invocation.print((screen) => renderListing(entries, screen), { workspace: retrace.workspace, path, entries });
      }),
    );
