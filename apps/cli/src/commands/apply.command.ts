import { type ChangeFlags, withChangeOptions } from './change-options.js';
import { applyAndPrint } from './change.js';
import { parseApplyDocument } from './apply-document.js';
import { type CommandFactory, describeCommand } from './command.js';
import { localContent, readLocal } from './content-source.js';

const EXAMPLES = [
  'retrace apply changes.json --reason "rename the option"',
  `echo '[{"mkdir": "docs"}, {"create": "docs/a.md", "content": "hello"}]' | retrace apply -`,
];

const FORM = `
The file is a JSON list; all of it is applied, or nothing:
  {"create": PATH, "content": TEXT}    a new file (or "content_base64", or "file": a local file)
  {"write": PATH, "content": TEXT}     the whole content, new or not
  {"append": PATH, "content": TEXT}    adds to the end
  {"edit": PATH, "edits": [{"old_text": TEXT, "new_text": TEXT, "all": true}]}
  {"mkdir": PATH, "parents": true}
  {"delete": PATH, "recursive": true}
  {"rmdir": PATH}
  {"chmod": PATH, "mode": "755"}       mode: octal text, also of create, write, append, mkdir
  {"symlink": PATH, "target": TEXT}
  {"move": PATH, "to": PATH, "overwrite": true}
  {"copy": PATH, "to": PATH, "recursive": true, "overwrite": true}
Each may say what is expected at its path, as retrace stat --json shows it ("state"):
  {"delete": "a", "expected": {"kind": "file", "hash": …, "size": …, "mode": …}}`;

export const applyCommand: CommandFactory = (runner) =>
  withChangeOptions(
    describeCommand('apply', EXAMPLES)
      .argument('<file>', 'a JSON list of operations (-: stdin)')
      .addHelpText('after', FORM),
  ).action(
    runner.action<ChangeFlags, [string]>(async (invocation, flags, file) => {
      const { io } = invocation;
      const text = Buffer.from(file === '-' ? await io.readStdin() : await readLocal(io, file)).toString('utf8');
      await applyAndPrint(invocation, flags, await parseApplyDocument(text, (local) => localContent(io, local)));
    }),
  );
