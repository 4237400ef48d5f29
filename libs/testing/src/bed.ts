import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Retrace } from '@retrace/client';
import type { Selection } from '@retrace/contracts';
import type { RetraceSystem } from './retrace-system.js';
import { treeOf } from './tree.js';
import { addWorkspace } from './workspace.js';

/** A workspace of its own with two agents and an operator, connected. */
export class Bed {
  private constructor(
    readonly name: string,
    readonly folder: string,
    readonly a: Retrace,
    readonly b: Retrace,
    readonly operator: Retrace,
  ) {}

  static async make(system: RetraceSystem, name: string, files: Readonly<Record<string, string>>): Promise<Bed> {
    const folder = await addWorkspace(system, name, files, ['agent-a', 'agent-b']);
    const connections = ['agent-a', 'agent-b', '_op-local'].map((who) => system.connect(who, name));
    const [a, b, operator] = (await Promise.all(connections)) as [Retrace, Retrace, Retrace];
    return new Bed(name, folder, a, b, operator);
  }

  text(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  /** A person's change, beside everything. */
  put(path: string, text: string): void {
    writeFileSync(join(this.folder, path), text);
  }

  tree(): Record<string, string> {
    return treeOf(this.folder);
  }

  async undo(selection: Selection, options: Parameters<Retrace['undoPlan']>[1] = {}) {
    return this.operator.undo(await this.operator.undoPlan(selection, options));
  }

  async close(): Promise<void> {
    await Promise.all([this.a, this.b, this.operator].map((one) => one.close()));
  }
}
