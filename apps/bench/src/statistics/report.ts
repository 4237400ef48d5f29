import { cpus, release, totalmem } from 'node:os';
import type { Mode } from '@retrace/testing';
import { markdownTable } from 'markdown-table';
import type { Measure } from './measure.js';

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly system: string;
  readonly node: string;
}

export interface Report {
  readonly machine: Machine;
  readonly date: string;
  readonly mode: Mode;
  readonly durability: 'process' | 'power';
  /** Smaller numbers: shows that the bench works, not how fast the system is. */
  readonly quick: boolean;
  /** Under the profiler everything is slower. */
  readonly profiled: boolean;
  readonly measures: readonly Measure[];
}

export function thisMachine(): Machine {
  const all = cpus();
  return {
    cpu: all[0]?.model ?? 'unknown',
    cores: all.length,
    memory_gb: Math.round(totalmem() / 2 ** 30),
    system: `${process.platform} ${release()}`,
    node: process.version,
  };
}

/** As Markdown, so that it can stand in the documentation as it is. */
export function render(report: Report): string {
  const head = ['measure', 'value', 'baseline', 'ratio', 'target', ''];
  const rows = report.measures.map(({ name, value, unit, baseline, ratio, target, pass }) => [
    name,
    `${value} ${unit}`,
    baseline === null ? '' : `${baseline} ${unit}`,
    ratio === null ? '' : String(ratio),
    target,
    pass ? 'reached' : 'missed',
  ]);
  const align = ['l', 'r', 'r', 'r', 'l', 'l'] as const;
  return `${headline(report)}\n\n${markdownTable([head, ...rows], { align: [...align] })}\n`;
}

function headline({ machine, date, mode, durability, quick, profiled }: Report): string {
  const { cpu, cores, memory_gb, system, node } = machine;
  const notes = [...(quick ? ['QUICK: small numbers'] : []), ...(profiled ? ['PROFILED: slower than it is'] : [])];
  return [
    `${mode}, durability ${durability}, ${date}`,
    `${cores} × ${cpu}, ${memory_gb} GB, ${system}, node ${node}`,
    ...notes,
  ].join('\n');
}
