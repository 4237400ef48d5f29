import 'reflect-metadata';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import {
  type IntentAuthorized,
  type IntentDenied,
  type MemberAdded,
  type PolicyPublished,
  type RollbackStepRequested,
  type StoredEvent,
} from '@retrace/contracts';
import type { LaneDelivery } from '@retrace/event-log';
import { MemoryEventLog } from '@retrace/event-log/testing';
import { AGENT, authorize, requestStep, WORKSPACE } from '../testing/authorities.js';
import { ExecutionFixture } from '../testing/execution-fixture.js';
import { fileOf } from '../testing/requests.js';
import type { WorkspaceRegistry } from '../workspaces/workspace-registry.js';
import { AuthorityHandlers } from './authority.handlers.js';
import { PolicyHandlers } from './policy.handlers.js';

let x: ExecutionFixture;
let registry: WorkspaceRegistry;
let authorities: AuthorityHandlers;
beforeEach(() => {
  x = new ExecutionFixture(new MemoryEventLog());
  const stub = { find: () => x.executor, drained: () => x.executor.drained() };
  registry = stub as unknown as WorkspaceRegistry;
  authorities = new AuthorityHandlers(registry, x.store);
});
afterEach(() => x.dispose());

const deliveryOf = (sequence: number, eventId: string) => ({ position: { sequence, eventId } }) as LaneDelivery;

/** An event as the lane hands it over. */
async function delivered<D extends StoredEvent>(sequence: number): Promise<[D, LaneDelivery]> {
  for await (const event of x.log.read({ fromSequence: sequence })) return [event as D, deliveryOf(sequence, event.id)];
  throw new Error('no such event');
}

it('an authorization and a step of a rollback are carried out, and the position is kept', async () => {
  const first = await authorize(x.log, [x.to.create('a', 'A')]);
  await authorities.authorized(...(await delivered<StoredEvent<typeof IntentAuthorized>>(first.sequence)));
  await x.executor.drained();
  await x.executor.untilKnown('all');
  const step = await requestStep(x.log, [{ path: 'a', expect: fileOf('A'), restore: { kind: 'absent' } }]);
  await authorities.stepRequested(...(await delivered<StoredEvent<typeof RollbackStepRequested>>(step.sequence)));
  await x.executor.drained();
  await x.idle();
  expect((await x.outcomes()).map(({ data }) => 'kind' in data && data.kind)).toEqual(['operation', 'rollback']);
  expect([x.folder.tree(), x.store.positions.load(WORKSPACE)]).toMatchObject([{}, { sequence: step.sequence }]);
});

it('a denial that came first takes the right away from an authorization of the same decision', async () => {
  const authority = await authorize(x.log, [x.to.create('a', 'A')]);
  const [event, delivery] = await delivered<StoredEvent<typeof IntentAuthorized>>(authority.sequence);
  await authorities.denied(event as unknown as StoredEvent<typeof IntentDenied>, delivery);
  await authorities.authorized(event, { ...delivery, position: { ...delivery.position, sequence: 9 } });
  await x.executor.drained();
  expect([x.folder.tree(), x.store.positions.load(WORKSPACE)]).toMatchObject([{}, { sequence: 9 }]);
  expect(await x.outcomes()).toEqual([]);
});

it.each<[string, () => Promise<void>]>([
  ['denial', () => authorities.denied({ workspace: WORKSPACE, id: 'evt' } as never, deliveryOf(50, 'evt'))],
  ['policy', () => policies().published({ workspace: WORKSPACE, data: {} } as never, deliveryOf(50, 'evt'))],
  [
    'member',
    () => policies().memberAdded({ workspace: WORKSPACE, data: { member: AGENT } } as never, deliveryOf(50, 'evt')),
  ],
])('a %s moves the position only when what was taken before it is in the journal', async (_, handle) => {
  const { sequence } = await authorize(x.log, [x.to.create('a', 'A')]);
  const seen: (number | undefined)[] = [];
  x.blobs.onGet = () => void seen.push(x.store.positions.load(WORKSPACE)?.sequence);
  await authorities.authorized(...(await delivered<StoredEvent<typeof IntentAuthorized>>(sequence)));
  await handle();
  expect(seen).toEqual([undefined]);
  expect([x.folder.text('a'), x.store.positions.load(WORKSPACE)?.sequence]).toEqual(['A', 50]);
});

const policies = () => new PolicyHandlers(x.store, registry);

it('policies and members are kept with their positions', async () => {
  const handlers = policies();
  await handlers.published(
    { workspace: WORKSPACE, data: { version: 3, yaml: 'rules: []' } } as StoredEvent<typeof PolicyPublished>,
    deliveryOf(4, '4'),
  );
  await handlers.memberAdded(
    { workspace: WORKSPACE, data: { member: AGENT } } as StoredEvent<typeof MemberAdded>,
    deliveryOf(5, '5'),
  );
  expect(x.store.policy(WORKSPACE)).toEqual({ version: 3, yaml: 'rules: []' });
  expect([x.store.isMember(WORKSPACE, AGENT), x.store.positions.load(WORKSPACE)?.sequence]).toEqual([true, 5]);
});
