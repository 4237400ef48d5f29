import type { QueryStatus, ServiceName } from '@retrace/contracts';
import type { Runtime } from '@retrace/messaging';
import type { z } from 'zod';
import { type Field, renderFields } from './fields.js';
import { renderWorkspaces, type WorkspaceRow } from './lists.render.js';
import { paintStatus } from './log.render.js';
import type { Screen } from './style.js';
import { renderTable } from './table.js';
import { wrap } from './text.js';

export interface ServiceStatus {
  readonly service: ServiceName;
  readonly state: 'ready' | 'starting' | 'not there';
  readonly pid: number | null;
  /** Why it is not there. */
  readonly message: string | null;
  /** What does not work although it runs. */
  readonly problems: readonly string[];
}

export interface SystemStatus {
  readonly home: string;
  readonly runtime: Runtime;
  readonly services: readonly ServiceStatus[];
  readonly projection: z.infer<(typeof QueryStatus)['reply']> | null;
  readonly workspaces: readonly WorkspaceRow[] | null;
}

export function renderStatus(status: SystemStatus, screen: Screen): string {
  const { runtime, services, projection, workspaces } = status;
  const fields: Field[] = [
    ['home', status.home],
    ['bus', runtime.url],
    ['mode', `${runtime.mode}, process ${runtime.pid}, since ${runtime.started_at}`],
    ['log', projection && `${projection.last_sequence} events, ${projection.lag} not folded yet`],
    ['rejected', projection?.rejected || null],
    ['unknown kinds', projection?.unknown || null],
    ['rebuild', rebuildOf(projection)],
  ];
  const columns = [
    { title: 'SERVICE', min: 10 },
    { title: 'STATE', min: 9, paint: (text: string) => paintStatus(text, screen.style) },
    { title: 'PROCESS', right: true },
    { title: '', min: 0 },
  ];
  const rows = services.map(({ service, state, pid, message }) => [service, state, String(pid ?? ''), message ?? '']);
  return [
    renderFields(fields, screen.width),
    '',
    renderTable(columns, rows, screen.width),
    ...renderProblems(services, screen),
    ...(workspaces === null ? [] : ['', renderWorkspaces(workspaces, screen)]),
  ].join('\n');
}

function rebuildOf(projection: SystemStatus['projection']): string | null {
  if (!projection?.rebuild) return null;
  const { status, sequence, last_sequence, message } = projection.rebuild;
  if (status === 'running') return `running: ${sequence} of ${last_sequence} events`;
  return [status, message].filter((part) => part !== null).join(': ');
}

const renderProblems = (services: readonly ServiceStatus[], { width, style }: Screen): string[] => {
  const problems = services.flatMap((service) => service.problems);
  const lines = problems.flatMap((problem) =>
    wrap(problem, width - 2).map((line, i) => `${i === 0 ? '! ' : '  '}${line}`),
  );
  return lines.length === 0 ? [] : ['', ...lines.map((line) => style.yellow(line))];
};
