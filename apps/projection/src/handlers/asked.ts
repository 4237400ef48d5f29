import type { CallDefinition } from '@retrace/contracts';
import type { z } from 'zod';

/** What a handler of a call is asked, parsed, and what it answers. */
export type Asked<Call extends CallDefinition> = z.infer<Call['request']>;
export type Answered<Call extends CallDefinition> = z.infer<Call['reply']>;
