import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  PlanGet,
  PolicyAddMember,
  PolicyExplain,
  PolicyPublish,
  PolicyPublished,
  PolicyShow,
  RetraceError,
  RollbackAuthorized,
  type WorkspaceName,
  WorkspaceRegistered,
} from '@retrace/contracts';
import { newId } from '@retrace/event-log';
import { PRESETS } from '@retrace/policy-engine';
import { hash } from './domain/testing.js';
import { OPERATOR, PolicyHarness, WRITER } from './testing/policy-harness.js';

const READS = "version: 1\nname: reads\nrules:\n  - { name: r, allow: [read], paths: ['**'] }\n";
let made = 0;

describe('calls to policy', () => {
  let bus: PolicyHarness;

  beforeAll(async () => {
    bus = await PolicyHarness.open();
    await bus.start();
  }, 120_000);
  afterAll(async () => {
    await bus.close();
  });

  /** A workspace of its own for each spec, registered and no more. */
  const register = async (): Promise<WorkspaceName> => {
    const workspace = `ws-${++made}` as WorkspaceName;
    await bus.happened(WorkspaceRegistered, { root: '/r', host: 'h', registered_by: OPERATOR }, { workspace });
    return workspace;
  };
  const publish = (workspace: WorkspaceName, name: string, yaml = '', by = OPERATOR) =>
    bus.as(by).call(PolicyPublish, workspace, { name, yaml });

  it('publish a policy that ships, in a workspace that was registered a moment ago', async () => {
    const workspace = await register();
    const { version, sequence } = await publish(workspace, 'team');
    expect(version).toBe(1);
    expect((await bus.events('policy.published')).find((event) => event.sequence === sequence)).toMatchObject({
      type: PolicyPublished.type,
      workspace,
      agent: OPERATOR,
      data: { version: 1, name: 'team', yaml: PRESETS.team, published_by: OPERATOR },
    });
  });

  it('count versions without gaps, whoever publishes at the same time, and are in force at once', async () => {
    const workspace = await register();
    const published = await Promise.all(['team', 'strict', 'scratch'].map((name) => publish(workspace, name)));
    expect(new Set(published.map(({ version }) => version))).toEqual(new Set([1, 2, 3]));
    await publish(workspace, 'x', READS);
    expect(await bus.as(OPERATOR).call(PolicyShow, workspace, {})).toEqual({
      version: 4,
      name: 'reads',
      yaml: READS,
      published_by: OPERATOR,
    });
  });

  it('refuse a policy that cannot be read, with line and column', async () => {
    const workspace = await register();
    await expect(publish(workspace, 'x', READS.replace('read]', 'reed]'))).rejects.toMatchObject({
      code: 'policy_invalid',
      message: expect.stringMatching(/line 4, column 24/),
    });
    await expect(publish(workspace, 'nonsense')).rejects.toMatchObject({
      code: 'policy_invalid',
      message: expect.stringContaining('strict, team, scratch'),
    });
    expect(await bus.as(OPERATOR).call(PolicyShow, workspace, {})).toMatchObject({ version: 0, published_by: null });
  });

  it('let only operators publish and add members', async () => {
    const workspace = await register();
    await expect(publish(workspace, 'scratch', '', WRITER)).rejects.toMatchObject({ code: 'forbidden' });
    const adding = bus.as(WRITER).call(PolicyAddMember, workspace, { member: WRITER });
    await expect(adding).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('know no workspace that was not registered', async () => {
    await expect(publish('nowhere' as WorkspaceName, 'team')).rejects.toMatchObject({ code: 'unknown_workspace' });
    await expect(bus.as(OPERATOR).call(PolicyShow, '_', {})).rejects.toBeInstanceOf(RetraceError);
  });

  it('add a member once, and no operator', async () => {
    const workspace = await register();
    const add = (member: string) => bus.as(OPERATOR).call(PolicyAddMember, workspace, { member });
    const first = await add('writer');
    expect(await add('writer')).toEqual(first);
    await expect(add('_op-you')).rejects.toMatchObject({ code: 'bad_request' });
    expect((await bus.events('member.added')).filter((event) => event.workspace === workspace)).toHaveLength(1);
  });

  it('explain what policy would say, to members alone', async () => {
    const workspace = await register();
    await publish(workspace, 'team');
    const explain = (path: string) =>
      bus.as(WRITER).call(PolicyExplain, workspace, { agent: WRITER, class: 'delete', path });
    await expect(explain('generated/old.json')).rejects.toMatchObject({ code: 'not_a_member' });
    await bus.as(OPERATOR).call(PolicyAddMember, workspace, { member: WRITER });
    expect(await explain('./generated//old.json')).toMatchObject({
      allowed: false,
      rule: 'generated-only-grows',
      code: 'rule_denies',
      policy_version: 1,
      canonical: 'generated/old.json',
      tried: expect.arrayContaining([expect.objectContaining({ rule: 'generated-only-grows', matched: true })]),
    });
    expect(await explain('tmp/x')).toMatchObject({ allowed: true, rule: 'scratch', code: null });
    expect(await explain('../x')).toMatchObject({ allowed: false, code: 'path_escapes' });
  });

  it('to rollback come before a rollback is authorized', async () => {
    const workspace = await register();
    bus.answer(PlanGet, ({ plan_hash }) =>
      plan_hash === hash('f')
        ? Promise.resolve({
            plan_hash,
            workspace,
            requested_by: OPERATOR,
            selection: { by: 'session', session_id: newId('ses') },
            at_sequence: 1,
            undoes: [],
            owners: [WRITER],
            steps: [],
            left_out: [],
          } as never)
        : Promise.reject(new RetraceError('unknown_plan', 'no such plan')),
    );
    const [known, unknown] = [hash('f'), hash('e')].map((plan_hash) => ({
      type: 'rollback',
      intent_id: newId('int'),
      plan_hash,
    }));
    await bus.send(known!, OPERATOR, workspace);
    await bus.send(unknown!, OPERATOR, workspace);
    expect(await bus.answerTo(known!.intent_id)).toMatchObject({
      type: RollbackAuthorized.type,
      data: { plan_hash: hash('f'), requested_by: OPERATOR, decision: { rule: 'operator' } },
    });
    expect(await bus.answerTo(unknown!.intent_id)).toMatchObject({ data: { code: 'unknown_plan' } });
  });
});
