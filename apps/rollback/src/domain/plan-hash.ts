import type { RollbackPlan } from '@retrace/contracts';

/** A plan before it has its name. */
export type PlanBody = Omit<RollbackPlan, 'plan_hash'>;

/** JSON with its keys in order: equal values give equal text. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const entries = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`);
  return `{${entries.join(',')}}`;
}

/** Names the plan by all that it says. `sha256` answers lower-case hex. */
export const withHash = (body: PlanBody, sha256: (text: string) => string): RollbackPlan => ({
  plan_hash: sha256(canonicalJson(body)),
  ...body,
});
