import { type DynamicModule, Module } from '@nestjs/common';
import { BaselineHandlers } from './baseline/baseline.handlers.js';
import { Baselines } from './baseline/baselines.js';
import { AuthorityHandlers } from './handlers/authority.handlers.js';
import { FsHandlers } from './handlers/fs.handlers.js';
import { PolicyHandlers } from './handlers/policy.handlers.js';
import { ExecutionStore } from './journal/execution-store.js';
import { TailHandlers, WholeTail } from './handlers/tail.handlers.js';
import { ReadGate } from './reading/read-gate.js';
import { WorkspaceRegistry } from './workspaces/workspace-registry.js';

export interface ExecutionParts {
  readonly store: ExecutionStore;
  readonly registry: WorkspaceRegistry;
  readonly gate: ReadGate;
  readonly baselines: Baselines;
  readonly tail: WholeTail;
}

@Module({})
export class ExecutionModule {
  static register({ store, registry, gate, baselines, tail }: ExecutionParts): DynamicModule {
    return {
      module: ExecutionModule,
      controllers: [AuthorityHandlers, PolicyHandlers, FsHandlers, BaselineHandlers, TailHandlers],
      providers: [
        { provide: ExecutionStore, useValue: store },
        { provide: WorkspaceRegistry, useValue: registry },
        { provide: ReadGate, useValue: gate },
        { provide: Baselines, useValue: baselines },
        { provide: WholeTail, useValue: tail },
      ],
    };
  }
}
