import { renderListing } from '../render/listing.render.js';
import { type CommandFactory, describeCommand, PATH_HELP } from './command.js';

export const lsCommand: CommandFactory = (runner) =>
  describeCommand('ls', ['retrace ls', 'retrace ls docs', 'retrace ls docs --as writer --json'])
    .argument('[path]', `a folder, ${PATH_HELP} (default: the root)`, '.')
    .addHelpText('after', '\nIt shows what the caller may read, and never what Retrace keeps for itself.')
    .action(
      runner.action<object, [string]>(async (invocation, _options, path) => {
        const retrace = await invocation.retrace();
        const entries = await retrace.list(path);
        invocation.print((screen) => renderListing(entries, screen), { workspace: retrace.workspace, path, entries });
      }),
    );
