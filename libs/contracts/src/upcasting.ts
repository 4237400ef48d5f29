export interface VersionedData {
  readonly type: string;
  readonly data: unknown;
}

/** Lifts one version of an event to the next. Pure; never changes what is stored. */
export type Upcaster = (data: unknown) => VersionedData;

/** By the type that they lift. Empty while every event stands at its first version. */
const UPCASTERS: ReadonlyMap<string, Upcaster> = new Map();

/** Lifts an event's data through all later versions of its type. */
export function upcast(
  type: string,
  data: unknown,
  upcasters: ReadonlyMap<string, Upcaster> = UPCASTERS,
): VersionedData {
  let lifted: VersionedData = { type, data };
  for (let next = upcasters.get(lifted.type); next; next = upcasters.get(lifted.type)) lifted = next(lifted.data);
  return lifted;
}
