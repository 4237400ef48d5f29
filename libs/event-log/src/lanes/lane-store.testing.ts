import type { LaneDelivery, LaneOptions } from './lane-options.js';
import type { Position, PositionStore } from './position.js';

export interface Handled {
  readonly sequence: number;
  readonly eventId: string;
  readonly text: string;
}

/** A service's store in memory: what was handled and the position change together, or not at all. */
export class LaneStore implements PositionStore {
  readonly handled = new Map<string, Handled[]>();
  readonly rejected: { lane: string; position: Position; reason: string }[] = [];
  readonly rewinds: { lane: string; to: number | undefined }[] = [];

  load(lane: string): Position | undefined {
    return this.of(lane).at(-1);
  }

  /** Every third only: a rewind must do with a thin trail. */
  trail(lane: string): readonly Position[] {
    return this.of(lane)
      .filter((_, index) => index % 3 === 0)
      .toReversed();
  }

  commit({ lane, position, pages }: LaneDelivery): void {
    this.of(lane).push({ ...position, text: pages.map((page) => page.string()).join('+') });
  }

  reject(delivery: LaneDelivery, reason: string): void {
    this.rejected.push({ lane: delivery.lane, position: delivery.position, reason });
    this.commit(delivery);
  }

  rewind(lane: string, to: Position | undefined): void {
    this.rewinds.push({ lane, to: to?.sequence });
    const kept = to ? this.of(lane).filter(({ sequence }) => sequence <= to.sequence) : [];
    this.handled.set(lane, kept);
  }

  of(lane: string): Handled[] {
    const known = this.handled.get(lane) ?? [];
    this.handled.set(lane, known);
    return known;
  }

  texts(lane: string): string[] {
    return this.of(lane).map(({ text }) => text);
  }
}

/** Lanes by the third token over everything, without waits worth the name. */
export const laneOptions = (store: LaneStore, lanes: readonly string[], more: Partial<LaneOptions> = {}) => ({
  stream: 'RETRACE',
  filters: ['retrace.event.>'],
  laneOf: (subject: string) => subject.split('.')[2],
  lanes,
  filterOf: (lane: string) => `retrace.event.${lane}.>`,
  positions: store,
  handle: async (delivery: LaneDelivery) => store.commit(delivery),
  onRejected: async (delivery: LaneDelivery, reason: string) => store.reject(delivery, reason),
  onRewind: async (lane: string, to: Position | undefined) => store.rewind(lane, to),
  backoff: { firstMs: 1, maxMs: 20 },
  stallMs: 20,
  ...more,
});

/** A lock that a spec opens by hand. */
export function gate(): { readonly passed: Promise<void>; open(): void } {
  let open = (): void => undefined;
  const passed = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { passed, open: () => open() };
}
