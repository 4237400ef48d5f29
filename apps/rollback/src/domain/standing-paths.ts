/**
 * Which of many paths stand, in their order: the next one is found in logarithmic time, however many below it are gone.
 * A folder that goes is asked for what stands below it, and so is each folder in it.
 */
export class StandingPaths {
  private readonly leaves: number;
  /** A binary tree: a node is 1 where something below it stands. Its root is at 1, its leaves are the last ones. */
  private readonly nodes: Uint8Array;

  /** `sorted` by code units, each once. */
  constructor(
    private readonly sorted: readonly string[],
    stands: (path: string) => boolean,
  ) {
    this.leaves = 2 ** Math.ceil(Math.log2(Math.max(1, sorted.length)));
    this.nodes = new Uint8Array(2 * this.leaves);
    for (const [at, path] of sorted.entries()) this.nodes[this.leaves + at] = stands(path) ? 1 : 0;
    for (let node = this.leaves - 1; node > 0; node--) this.update(node);
  }

  /** A path that is none of them is passed over. */
  set(path: string, stands: boolean): void {
    const at = this.firstNotBelow(path);
    if (this.sorted[at] !== path) return;
    this.nodes[this.leaves + at] = stands ? 1 : 0;
    for (let node = (this.leaves + at) >> 1; node > 0; node >>= 1) this.update(node);
  }

  /** The first one that starts so. */
  startingWith(text: string): string | undefined {
    const at = this.next(this.firstNotBelow(text));
    const path = at === undefined ? undefined : this.sorted[at];
    return path?.startsWith(text) ? path : undefined;
  }

  private update(node: number): void {
    this.nodes[node] = this.nodes[2 * node]! | this.nodes[2 * node + 1]!;
  }

  /** The index of the first one that stands from `at` on. */
  private next(at: number): number | undefined {
    if (at >= this.sorted.length) return undefined;
    let node = this.leaves + at;
    while (this.nodes[node] === 0) {
      // Up while it is the last of its kind, then to the right.
      while (node % 2 === 1) node >>= 1;
      if (node === 0) return undefined;
      node++;
    }
    while (node < this.leaves) node = this.nodes[2 * node] === 1 ? 2 * node : 2 * node + 1;
    return node - this.leaves;
  }

  /** Index of the first entry that is not smaller than `text`. */
  private firstNotBelow(text: string): number {
    let low = 0;
    let high = this.sorted.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.sorted[middle]! < text) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
