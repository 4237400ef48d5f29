/** Numbers, the lowest first. */
export class Heap {
  private readonly items: number[] = [];

  push(item: number): void {
    const { items } = this;
    let at = items.push(item) - 1;
    for (let above = (at - 1) >> 1; at > 0 && items[above]! > item; above = (at - 1) >> 1) {
      items[at] = items[above]!;
      at = above;
    }
    items[at] = item;
  }

  pop(): number | undefined {
    const { items } = this;
    const lowest = items[0];
    const last = items.pop();
    if (items.length > 0 && last !== undefined) this.sink(last);
    return lowest;
  }

  private sink(item: number): void {
    const { items } = this;
    let at = 0;
    for (;;) {
      const left = 2 * at + 1;
      if (left >= items.length) break;
      const lower = left + 1 < items.length && items[left + 1]! < items[left]! ? left + 1 : left;
      if (items[lower]! >= item) break;
      items[at] = items[lower]!;
      at = lower;
    }
    items[at] = item;
  }
}
