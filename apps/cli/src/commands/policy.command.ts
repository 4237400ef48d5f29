import {
  type ActionClass,
  ActionClassSchema,
  PolicyExplain,
  PolicyPublish,
  PolicyShow,
  type Principal,
  PrincipalSchema,
} from '@retrace/contracts';
import { EXIT } from '../exit-code.js';
import { by } from '../globals.js';
import { renderExplanation } from '../render/lists.render.js';
import { type CommandFactory, describeCommand, groupCommands } from './command.js';
import { readPolicySource } from './policy-source.js';

const showCommand: CommandFactory = (runner) =>
  describeCommand('show', ['retrace policy show > policy.yaml'])
    .description('the policy in force')
    .action(
      runner.action(async (invocation) => {
        const policy = await (await invocation.retrace()).call(PolicyShow, {});
        const head = `# ${policy.name}, version ${policy.version}`;
        invocation.print(() => `${head}\n${policy.yaml.trimEnd()}`, policy);
      }),
    );

const publishCommand: CommandFactory = (runner) =>
  describeCommand('publish', ['retrace policy publish policy.yaml', 'retrace policy publish strict --workspace notes'])
    .description('put a policy into force')
    .argument('<file|name>', 'a YAML file (-: stdin), or one that ships: strict, team, scratch')
    .action(
      runner.action<object, [string]>(async (invocation, _options, source) => {
        const policy = await readPolicySource(invocation.io, source);
        const retrace = await invocation.retrace();
        const { version, sequence } = await retrace.call(PolicyPublish, policy);
        invocation.print(() => `policy ${policy.name} is in force in ${retrace.workspace}, version ${version}`, {
          workspace: retrace.workspace,
          name: policy.name,
          version,
          sequence,
        });
      }),
    );

const explainCommand: CommandFactory = (runner) =>
  describeCommand('explain', ['retrace policy explain writer overwrite src/app.ts'])
    .description('what policy would answer, and why; exits 1 where it would refuse')
    .argument('<agent>', 'who would act', by(PrincipalSchema))
    .argument('<class>', `one of ${ActionClassSchema.options.join(', ')}`, by(ActionClassSchema))
    .argument('<path>', 'from the root of the workspace')
    .action(
      runner.action<object, [Principal, ActionClass, string]>(
        async (invocation, _options, agent, actionClass, path) => {
          const asked = { agent, class: actionClass, path };
          const explanation = await (await invocation.retrace()).call(PolicyExplain, asked);
          invocation.print((screen) => renderExplanation(explanation, screen), explanation);
          return explanation.allowed ? EXIT.done : EXIT.refused;
        },
      ),
    );

export const policyCommand: CommandFactory = (runner) =>
  groupCommands('policy', [showCommand(runner), publishCommand(runner), explainCommand(runner)]);
