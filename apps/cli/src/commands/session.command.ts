import { type SessionId, SessionIdSchema } from '@retrace/contracts';
import { by } from '../globals.js';
import { renderSessions } from '../render/lists.render.js';
import { UsageError } from '../usage-error.js';
import { type CommandFactory, describeCommand, groupCommands } from './command.js';

interface OpenFlags {
  readonly conversation?: string;
  readonly model?: string;
}

const OPEN_EXAMPLES = [
  'export RETRACE_SESSION=$(retrace session open "tidy the notes" --as writer)',
  'retrace session open "review" --model some-model@2025-01 --conversation 42',
];

const openCommand: CommandFactory = (runner) =>
  describeCommand('open', OPEN_EXAMPLES)
    .description('open a session and print its id')
    .argument('<task>', 'what it is for')
    .option('--conversation <id>', 'the conversation that it belongs to')
    .option('--model <id[@version]>', 'the model that acts')
    .action(
      runner.action<OpenFlags, [string]>(async (invocation, { conversation, model }, task) => {
        const retrace = await invocation.retrace();
        const options = { task, conversationId: conversation, model: model === undefined ? undefined : modelOf(model) };
        const { id } = await retrace.openSession(options);
        invocation.print(() => id, { session_id: id, sequence: retrace.lastSequence });
      }),
    );

/** `name@version`; the first sign may be an @ of the name. */
export function modelOf(text: string): { id: string; version?: string } {
  const at = text.lastIndexOf('@');
  return at > 0 ? { id: text.slice(0, at), version: text.slice(at + 1) } : { id: text };
}

const completeCommand: CommandFactory = (runner) =>
  describeCommand('complete', ['retrace session complete'])
    .description('complete a session: from then on it writes nothing')
    .argument('[id]', 'the session (default: --session, RETRACE_SESSION)', by(SessionIdSchema))
    .action(
      runner.action<object, [SessionId | undefined]>(async (invocation, _options, given) => {
        const id = given ?? invocation.sessionId;
        if (id === undefined) throw new UsageError('which session? Give its id, or set RETRACE_SESSION');
        const retrace = await invocation.retrace();
        const { sequence } = await retrace.session(id).complete();
        invocation.print(() => `completed ${id}`, { session_id: id, sequence });
      }),
    );

const listCommand: CommandFactory = (runner) =>
  describeCommand('list', ['retrace session list'])
    .description('the sessions of a workspace')
    .action(
      runner.action(async (invocation) => {
        const { sessions } = await (await invocation.upToDate()).sessions();
        invocation.print((screen) => renderSessions(sessions, screen), { sessions });
      }),
    );

export const sessionCommand: CommandFactory = (runner) =>
  groupCommands('session', [openCommand(runner), completeCommand(runner), listCommand(runner)]);
