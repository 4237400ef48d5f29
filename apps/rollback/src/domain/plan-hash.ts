import type { RollbackPlan } from '@retrace/contracts';

/** A plan before it has its name. */
export type PlanBody = Omit<RollbackPlan, 'plan_hash'>;

/** JSON with its keys in order: equal values give equal text. A plan may have 25,000 steps. */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const object = value as Readonly<Record<string, unknown>>;
  let text = '';
  for (const key of Object.keys(object).toSorted()) {
    const item = object[key];
    if (item !== undefined) text += `${text && ','}${JSON.stringify(key)}:${canonicalJson(item)}`;
  }
  return `{${text}}`;
}

/** Names the plan by all that it says. `sha256` answers lower-case hex. */
export const withHash = (body: PlanBody, sha256: (text: string) => string): RollbackPlan => ({
  plan_hash: sha256(canonicalJson(body)),
  ...body,
});
