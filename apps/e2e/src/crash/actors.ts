import { join } from 'node:path';
import { connectSystem, type Retrace } from '@retrace/client';
import type { RetraceSystem } from '@retrace/testing';

type Bus = Awaited<ReturnType<typeof connectSystem>>;

/** Who acts in the scenario: an agent and an operator, each with a connection of its own. */
export class Actors {
  private constructor(
    readonly agent: Retrace,
    readonly operator: Retrace,
    /** The operator, where no workspace is meant. */
    readonly bus: Bus,
  ) {}

  static async connect(system: RetraceSystem, workspace: string): Promise<Actors> {
    const credentialsFile = join(system.home.credentials, '_op-local.json');
    const bus = await connectSystem({ url: system.url, credentialsFile });
    return new Actors(await system.connect('agent-a', workspace), await bus.workspace(workspace), bus);
  }

  async close(): Promise<void> {
    await Promise.all([this.agent, this.operator, this.bus].map((one) => one.close()));
  }
}
