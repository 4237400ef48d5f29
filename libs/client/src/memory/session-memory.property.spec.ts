import {
  ABSENT,
  type IntentId,
  type LogicalOperationId,
  type PathState,
  samePathState,
  type WorkspacePath,
} from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import * as fc from 'fast-check';
import { IntentDeniedError, LostUpdateError } from '../errors.js';
import type { IntentEnd } from '../intents/settled.js';
import { deniedData, failedData, recordOf } from '../testing/outcome-data.js';
import { type Change, type LookUnderWay, SessionMemory, type Touch } from './session-memory.js';

const PATHS = ['a', 'b', 'd/a', 'd/b'] as const;
const path = fc.constantFrom(...PATHS);

/** Long enough that calls, answers and readings overlap; by itself fast-check makes about ten steps. */
const LONG = { maxLength: 60, size: 'max' } as const;

/** What the session and the world may do next. What is under way is carried out, and told of, whenever chance says so. */
const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('write' as const), path, denied: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('move' as const), path, to: path }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('remove-folder' as const) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('read' as const), path }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('serve' as const) }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('hear' as const), late: fc.boolean() }) },
);
const outsider = fc.record({ do: fc.constant('outsider' as const), path });
type Step = { do: 'outsider'; path: string } | (typeof step extends fc.Arbitrary<infer T> ? T : never);

interface Effect {
  readonly path: string;
  readonly after: PathState;
}

/** The system: carries out what it is sent in order; what it answers is heard later, and not always in order. */
class World {
  readonly memory = new SessionMemory(true);
  readonly lost: string[] = [];
  private readonly disk = new Map<string, PathState>();
  private readonly sent: (() => () => void)[] = [];
  private readonly answers: (() => void)[] = [];
  private versions = 0;
  private sequence = 0;

  run(one: Step): void {
    switch (one.do) {
      case 'write':
        return this.change([{ path: one.path, uses: 'follows' }], () => [{ path: one.path, after: this.file() }], one);
      case 'move':
        if (one.path === one.to) return;
        return this.change([{ path: one.path, to: one.to, uses: 'itself' }], () => [
          { path: one.to, after: this.at(one.path) },
          { path: one.path, after: ABSENT },
        ]);
      case 'remove-folder':
        return this.change([{ path: 'd', uses: 'itself' }], () =>
          ['d/a', 'd/b'].map((below) => ({ path: below, after: ABSENT })),
        );
      case 'read':
        return this.read(one.path);
      case 'serve':
        return this.serve();
      case 'hear':
        return this.answers.splice(one.late ? this.answers.length - 1 : 0, 1)[0]?.();
      case 'outsider':
        this.disk.set(one.path, this.file());
        return;
    }
  }

  finish(): void {
    while (this.sent.length > 0) this.serve();
    while (this.answers.length > 0) this.answers.shift()!();
  }

  known(asked: string): PathState | undefined {
    const change = this.memory.begin([{ path: asked, uses: 'follows' }]);
    change.notSent();
    return change.expected[0];
  }

  at(one: string): PathState {
    return this.disk.get(one) ?? ABSENT;
  }

  private serve(): void {
    const answer = this.sent.shift()?.();
    if (answer) this.answers.push(answer);
  }

  private file(): PathState {
    this.versions += 1;
    return { kind: 'file', hash: String(this.versions).padStart(64, '0'), size: 1, mode: 0o644 } as PathState;
  }

  private change(touches: Touch[], effects: () => Effect[], { denied = false } = {}): void {
    const change = this.memory.begin(touches);
    this.sent.push(() => {
      const end = denied
        ? new IntentDeniedError(deniedData(), (this.sequence += 1))
        : this.apply(touches, change, effects);
      return () => change.ended(end);
    });
  }

  private apply([touch]: Touch[], { expected }: Change, effects: () => Effect[]): IntentEnd {
    const { path: asked } = touch!;
    this.sequence += 1;
    const [wanted] = expected;
    if (wanted && !samePathState(wanted, this.at(asked))) {
      this.lost.push(asked);
      return new LostUpdateError(failedData({ path: asked }), this.sequence);
    }
    const done = effects();
    for (const { path: changed, after } of done) {
      this.disk.set(changed, after);
    }
    return appliedTo(done, this.sequence);
  }

  private read(asked: string): void {
    const look: LookUnderWay = this.memory.beginLook(asked);
    this.sent.splice(this.versions % (this.sent.length + 1), 0, () => {
      const state = this.at(asked);
      return () => look.found({ canonical: asked, state });
    });
  }
}

const appliedTo = (effects: readonly Effect[], sequence: number): IntentEnd => ({
  kind: 'applied',
  intentId: 'int' as IntentId,
  logicalOperationId: 'lop' as LogicalOperationId,
  sequence,
  operationCount: effects.length,
  operations: effects.map(({ path: changed, after }) =>
    recordOf({
      path: { typed: changed, canonical: changed as WorkspacePath },
      state_snapshot_after: { state: after, sequence: 'self' },
    }),
  ),
});

describe('the memory of what is expected', () => {
  it('never refuses a session because of its own calls, however they are interleaved', () => {
    fc.assert(
      fc.property(fc.array(step, LONG), (steps) => {
        const world = new World();
        for (const one of steps) world.run(one);
        world.finish();
        expect(world.lost).toEqual([]);
      }),
      { numRuns: 1_000 },
    );
  });

  it('knows in the end what stands there, if it knows anything', () => {
    fc.assert(
      fc.property(fc.array(step, LONG), (steps) => {
        const world = new World();
        for (const one of steps) world.run(one);
        world.finish();
        for (const one of PATHS) expect([undefined, world.at(one)]).toContainEqual(world.known(one));
      }),
      { numRuns: 1_000 },
    );
  });

  it('notices a foreign change of what it has read', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(step, outsider), LONG), path, (steps, asked) => {
        const world = new World();
        for (const one of steps) world.run(one);
        world.finish();
        world.run({ do: 'read', path: asked });
        world.finish();
        const lostBefore = world.lost.length;
        world.run({ do: 'outsider', path: asked });
        world.run({ do: 'write', path: asked, denied: false });
        world.finish();
        expect(world.lost.slice(lostBefore)).toEqual([asked]);
      }),
    );
  });
});
