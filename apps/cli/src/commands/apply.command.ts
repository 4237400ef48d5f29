import { parseApplyDocument } from './apply-document.js';
import { applyAndPrint } from './change.js';
import { type CommandFactory, describeCommand } from './command.js';
import { readContent, readLocal } from './content-source.js';

const EXAMPLES = [
  'retrace apply changes.json --reason "rename the option"',
  `echo '[{"mkdir": "docs"}, {"create": "docs/a.md", "content": "hello"}]' | retrace apply -`,
];

const FORM = `
The file is a JSON list; all of it is applied, or nothing:
  {"create": PATH, "content": TEXT}    a new file (or "content_base64", or "file": a local file)
  {"write": PATH, "content": TEXT}     the whole content, new or not
  {"edit": PATH, "edits": [{"old_text": TEXT, "new_text": TEXT, "all": true}]}
  {"mkdir": PATH}
  {"delete": PATH}`;

export const applyCommand: CommandFactory = (runner) =>
  describeCommand('apply', 'apply several operations as one logical operation', EXAMPLES)
    .argument('<file>', 'a JSON list of operations (-: stdin)')
    .addHelpText('after', FORM)
    .action(
      runner.action<object, [string]>(async (invocation, _options, file) => {
        const { io } = invocation;
        const text = Buffer.from(await readContent(io, { file })).toString('utf8');
        await applyAndPrint(invocation, await parseApplyDocument(text, (local) => readLocal(io, local)));
      }),
    );
