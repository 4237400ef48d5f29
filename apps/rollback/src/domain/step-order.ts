import { parentPath, type RestoreStep } from '@retrace/contracts';
import { Heap } from './heap.js';

/**
 * Brings steps into an order in which each can run: between two valid trees it never passes through an invalid one.
 * As far as that allows, removals come first, deepest first, then what is replaced where it stands, then creations with
 * folders before what lies in them; and both ends of a move stand next to each other, the one that takes first.
 */
export function inRunningOrder(steps: readonly RestoreStep[]): RestoreStep[] {
  const ranked = steps.map((step) => ({ step, phase: phase(step), depth: depth(step.path) }));
  return new Scheduler(ranked.toSorted(byRank).map(({ step }) => step)).run();
}

const REMOVE = 0;
const REPLACE = 1;
const CREATE = 2;

function phase({ expect, restore }: RestoreStep): number {
  if (expect.kind === 'absent') return restore.kind === 'absent' ? REPLACE : CREATE;
  return restore.kind === 'absent' ? REMOVE : REPLACE;
}

const depth = (path: string): number => path.split('/').length;

interface Ranked {
  readonly step: RestoreStep;
  readonly phase: number;
  readonly depth: number;
}

function byRank(a: Ranked, b: Ranked): number {
  const deeperFirst = b.depth - a.depth;
  const byPath = a.step.path < b.step.path ? -1 : a.step.path > b.step.path ? 1 : 0;
  return a.phase - b.phase || (a.phase === REMOVE ? deeperFirst : -deeperFirst) || byPath;
}

/** Takes steps by their number, lowest first, once what they wait for is done. */
class Scheduler {
  private readonly waiting: number[];
  private readonly followers: number[][];
  /** The other end of a move, by number, as long as both run together. */
  private readonly partner = new Map<number, number>();
  private readonly done = new Set<number>();
  private readonly ready = new Heap();
  private readonly ordered: RestoreStep[] = [];

  constructor(private readonly steps: readonly RestoreStep[]) {
    this.waiting = steps.map(() => 0);
    this.followers = steps.map(() => []);
    this.link();
  }

  run(): RestoreStep[] {
    for (const number of this.steps.keys()) this.offer(number);
    while (this.ordered.length < this.steps.length) {
      const next = this.ready.pop() ?? this.openPair();
      if (!this.done.has(next)) this.runWithPartner(next);
    }
    return this.ordered;
  }

  private link(): void {
    const removals = new Map<string, number>();
    const creations = new Map<string, number>();
    for (const [number, step] of this.steps.entries()) {
      if (phase(step) === REMOVE) removals.set(step.path, number);
      if (phase(step) === CREATE) creations.set(step.path, number);
    }
    for (const [path, number] of removals) this.after(number, removals.get(parentPath(path) ?? ''));
    for (const [path, number] of creations) {
      const folder = creations.get(parentPath(path) ?? '');
      if (folder !== undefined) this.after(folder, number);
      const removal = removals.get(path);
      if (removal !== undefined) this.after(removal, number);
    }
    for (const [path, number] of removals) this.pair(number, creations.get(this.steps[number]!.moves_to ?? ''), path);
  }

  private after(first: number, then: number | undefined): void {
    if (then === undefined) return;
    this.followers[first]!.push(then);
    this.waiting[then]!++;
  }

  private pair(taking: number, placing: number | undefined, from: string): void {
    if (placing === undefined || this.steps[placing]!.moves_from !== from) return;
    this.partner.set(taking, placing);
    this.partner.set(placing, taking);
  }

  private offer(number: number): void {
    const partner = this.partner.get(number);
    if (this.waiting[number] !== 0 || (partner !== undefined && this.waiting[partner] !== 0)) return;
    this.ready.push(partner === undefined ? number : Math.min(number, partner));
  }

  private runWithPartner(number: number): void {
    const partner = this.partner.get(number);
    this.emit(number);
    if (partner !== undefined) this.emit(partner);
  }

  private emit(number: number): void {
    this.done.add(number);
    this.ordered.push(this.steps[number]!);
    for (const follower of this.followers[number]!) {
      this.waiting[follower]!--;
      this.offer(follower);
    }
  }

  /** Objects change places in a circle: one is taken before its place is free. */
  private openPair(): number {
    for (const number of this.steps.keys()) {
      const partner = this.partner.get(number);
      if (
        partner === undefined ||
        this.done.has(number) ||
        this.waiting[number] !== 0 ||
        phase(this.steps[number]!) !== REMOVE
      )
        continue;
      this.partner.delete(number);
      this.partner.delete(partner);
      this.after(number, partner);
      return number;
    }
    throw new Error('steps wait for each other, and none of them is a move');
  }
}
