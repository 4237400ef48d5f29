import type { Finding } from '../doctor/finding.js';
import { paintStatus } from './log.render.js';
import type { Screen } from './style.js';
import { plain, plural, wrap } from './text.js';

const STATUS = 9;
const AREA = 12;

/** A line for each thing that was looked at; below it, where it is not well, what to do. */
export function renderFindings(findings: readonly Finding[], screen: Screen): string {
  const failed = findings.filter(({ status }) => status === 'failed').length;
  const warnings = findings.filter(({ status }) => status === 'warning').length;
  const end = failed + warnings === 0 ? 'all is well' : `${failed} failed, ${plural(warnings, 'warning')}`;
  return [...findings.map((one) => renderFinding(one, screen)), '', screen.style.bold(end)].join('\n');
}

function renderFinding({ status, area, where, found, remedy }: Finding, { width, style }: Screen): string {
  const room = Math.max(20, width - STATUS - AREA);
  const text = wrap(plain(`${where}: ${found}`), room);
  const next = remedy === null ? [] : wrap(plain(remedy), room - 2).map((line, i) => `${i === 0 ? '→ ' : '  '}${line}`);
  const indent = ' '.repeat(STATUS + AREA);
  const head = paintStatus(status.padEnd(STATUS), style) + area.padEnd(AREA);
  return [...text, ...next].map((line, i) => (i === 0 ? head : indent) + line).join('\n');
}
