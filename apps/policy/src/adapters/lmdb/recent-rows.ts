/** Rows as they are now, under their names; `undefined`: there is none. Holds what was used last, and all that must stay. */
export class RecentRows {
  private young = new Map<string, unknown>();
  private old = new Map<string, unknown>();

  /** `mayForget`: whether what is held can be read from the store again. */
  constructor(
    private readonly most: number,
    private readonly mayForget: () => boolean,
  ) {}

  has(name: string): boolean {
    if (this.young.has(name)) return true;
    if (!this.old.has(name)) return false;
    this.put(name, this.old.get(name));
    return true;
  }

  /** After `has`. */
  get(name: string): unknown {
    return this.young.get(name);
  }

  put(name: string, row: unknown): void {
    if (this.young.size >= this.most && this.mayForget()) {
      this.old = this.young;
      this.young = new Map();
    }
    this.young.set(name, row);
  }

  clear(): void {
    this.young.clear();
    this.old.clear();
  }
}
