import { z } from 'zod';

/**
 * As `schema.safeParse`, which throws all the same where an object with fields of its own choosing (`length`, `toString`)
 * stands in the place of a text: its checks of length ask it. For everything that comes from outside.
 */
export function parseSafely<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.ZodSafeParseResult<z.infer<Schema>> {
  try {
    return schema.safeParse(value);
  } catch {
    const message = 'an object stands where a text, number or list belongs';
    const error = new z.ZodError([{ code: 'custom', path: [], message, input: undefined }]);
    return { success: false, error: error as z.ZodError<z.infer<Schema>> };
  }
}
