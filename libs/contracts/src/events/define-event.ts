import type { z } from 'zod';

/** A kind of event: its name in the log, its version and the schema of its data. */
export interface EventDefinition<Entity extends string, Verb extends string, Data extends z.ZodType> {
  readonly entity: Entity;
  readonly verb: Verb;
  readonly version: number;
  /** `retrace.<entity>.<verb>.v<version>`: the CloudEvents type. */
  readonly type: `retrace.${Entity}.${Verb}.v${number}`;
  readonly data: Data;
  /**
   * The array of the data that is spread over pages where the event is too large for one message; each page carries all
   * other fields too.
   */
  readonly pagedBy: string | undefined;
}

export const defineEvent = <const Entity extends string, const Verb extends string, Data extends z.ZodType>(
  entity: Entity,
  verb: Verb,
  version: number,
  data: Data,
  { pagedBy }: { pagedBy?: string } = {},
): EventDefinition<Entity, Verb, Data> => ({
  entity,
  verb,
  version,
  type: `retrace.${entity}.${verb}.v${version}`,
  data,
  pagedBy,
});
