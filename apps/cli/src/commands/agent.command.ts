import { type AgentName, AgentNameSchema } from '@retrace/contracts';
import { CredentialStore } from '@retrace/messaging';
import { by } from '../globals.js';
import { runningSystem } from '../home/runtime-file.js';
import { renderAgents } from '../render/lists.render.js';
import { addAgent } from '../system/add-agent.js';
import { type CommandFactory, describeCommand, groupCommands } from './command.js';

const addCommand: CommandFactory = (runner) =>
  describeCommand('add', ['retrace agent add writer --workspace notes'])
    .description('give an agent credentials and make it a member of a workspace')
    .argument('<name>', 'lower-case letters, digits and dashes', by(AgentNameSchema))
    .action(
      runner.action<object, [AgentName]>(async (invocation, _options, name) => {
        const runtime = await runningSystem(invocation.home);
        const retrace = await invocation.retrace();
        const { credentialsFile, sequence } = await addAgent(invocation.home, runtime, retrace, name);
        const { workspace } = retrace;
        invocation.print(() => `agent ${name} may act in ${workspace}\ncredentials: ${credentialsFile}`, {
          agent: name,
          workspace,
          credentials_file: credentialsFile,
          sequence,
        });
      }),
    );

const listCommand: CommandFactory = (runner) =>
  describeCommand('list', ['retrace agent list'])
    .description('who may connect')
    .action(
      runner.action(async (invocation) => {
        const listed = await new CredentialStore(invocation.home.nats).listPrincipals();
        const agents = listed.map(({ principal, created_at, workspaces = [] }) => ({
          principal,
          workspaces,
          created_at,
        }));
        invocation.print((screen) => renderAgents(agents, screen), { agents });
      }),
    );

export const agentCommand: CommandFactory = (runner) =>
  groupCommands('agent', [addCommand(runner), listCommand(runner)]);
