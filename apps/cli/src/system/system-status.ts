import type { RetraceSystem } from '@retrace/client';
import { type ServiceName, SERVICES } from '@retrace/contracts';
import type { Runtime } from '@retrace/messaging';
import type { ServiceStatus, SystemStatus } from '../render/status.render.js';

const PING_TIMEOUT_MS = 2_000;

/** Asks every service how it is. What does not answer is part of the answer. */
export async function systemStatus(home: string, runtime: Runtime, system: RetraceSystem): Promise<SystemStatus> {
  const [services, projection, workspaces] = await Promise.all([
    Promise.all(SERVICES.map((service) => statusOf(system, service))),
    system.status().catch(() => null),
    system.workspaces().then(
      (answer) => answer.workspaces,
      () => null,
    ),
  ]);
  return { home, runtime, services, projection, workspaces };
}

/** Asks one service how it is; never rejects. */
export async function statusOf(system: RetraceSystem, service: ServiceName): Promise<ServiceStatus> {
  try {
    const { ready, pid, problems } = await system.ping(service, PING_TIMEOUT_MS);
    return { service, state: ready ? 'ready' : 'starting', pid, message: null, problems };
  } catch (error) {
    return { service, state: 'not there', pid: null, message: messageOf(error), problems: [] };
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
