import type { Check } from '@retrace/contracts';

/** What is looked at, in the order in which one thing rests on the one before it. */
export const AREAS = ['permission', 'path', 'disk', 'locks', 'bus', 'blobs'] as const;
export type Area = (typeof AREAS)[number];

/** What the checks of the services are called, where that is not the area. */
const AREA_OF: Readonly<Record<string, Area>> = { lock: 'locks', kernel: 'locks' };

/** One thing that was looked at, and where. */
export interface Finding extends Check {
  readonly area: Area;
  /** `home`, a workspace, a service. */
  readonly where: string;
}

type Known = Omit<Finding, 'check' | 'remedy'> & { readonly check?: string; readonly remedy?: string | null };

export const finding = ({ check, remedy = null, ...rest }: Known): Finding => ({
  check: check ?? rest.area,
  remedy,
  ...rest,
});

/** What a service looked at, with the place that it spoke of. Checks of another name go where the service belongs. */
export const findingsOf = (where: string, checks: readonly Check[], otherwise: Area): Finding[] =>
  checks.map((one) => ({ ...one, where, area: areaOf(one.check) ?? otherwise }));

const areaOf = (check: string): Area | undefined => AREA_OF[check] ?? AREAS.find((area) => check.startsWith(area));

/** By area; within one, as they were found. */
export const inOrder = (findings: readonly Finding[]): Finding[] =>
  findings.toSorted((a, b) => AREAS.indexOf(a.area) - AREAS.indexOf(b.area));
