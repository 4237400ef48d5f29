import { pingCall, type ServiceName } from '@retrace/contracts';
import { Controller, type Type } from '@nestjs/common';
import { Answers } from '../transport/decorators.js';

export interface Readiness {
  ready: boolean;
  problems: () => readonly string[];
}

/** Makes the controller by which a service says that it is there. */
export function pingController(service: ServiceName, readiness: Readiness): Type {
  const startedAt = new Date().toISOString();

  @Controller()
  class PingController {
    @Answers(pingCall(service))
    ping() {
      return {
        service,
        pid: process.pid,
        started_at: startedAt,
        ready: readiness.ready,
        problems: [...readiness.problems()],
      };
    }
  }
  return PingController;
}
