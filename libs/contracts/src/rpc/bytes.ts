import { z } from 'zod';

/** A body that is bytes as they are, not JSON. */
export const BytesSchema = z.custom<Uint8Array>((value) => value instanceof Uint8Array, 'bytes');
