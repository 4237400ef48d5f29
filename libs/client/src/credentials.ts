import { readFile } from 'node:fs/promises';
import { type Principal, PrincipalSchema } from '@retrace/contracts';
import { z } from 'zod';
import { CredentialsError } from './errors.js';

/** Who connects. Replies are taken under `inboxPrefix`, by default the one that the account allows. */
export interface Credentials {
  readonly principal: string;
  readonly user: string;
  readonly password: string;
  readonly inboxPrefix?: string | undefined;
}

export interface CheckedCredentials {
  readonly principal: Principal;
  readonly user: string;
  readonly password: string;
  readonly inboxPrefix: string;
  /** Of the bus, where the file names it. */
  readonly url?: string | undefined;
}

const FileSchema = z.object({
  principal: PrincipalSchema,
  user: z.string().min(1),
  password: z.string().min(1),
  inbox_prefix: z.string().min(1).optional(),
  url: z.string().min(1).optional(),
});

/** Reads `<principal>.json`. Throws {@link CredentialsError}, which names the file and never quotes a password. */
export async function readCredentials(file: string): Promise<CheckedCredentials> {
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    const { code, message } = cause as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : message;
    throw new CredentialsError(`credentials ${file}: ${why}. See: retrace agent add`, { cause });
  });
  const parsed = FileSchema.safeParse(parseJson(text));
  if (!parsed.success) throw new CredentialsError(`credentials ${file}: ${z.prettifyError(parsed.error)}`);
  const { inbox_prefix, ...rest } = parsed.data;
  return { ...rest, inboxPrefix: inbox_prefix ?? inboxPrefixOf(rest.principal) };
}

/** Throws {@link CredentialsError}. */
export function checkCredentials({ principal, user, password, inboxPrefix }: Credentials): CheckedCredentials {
  const parsed = PrincipalSchema.safeParse(principal);
  if (!parsed.success) throw new CredentialsError(`principal ${principal}: ${z.prettifyError(parsed.error)}`);
  return { principal: parsed.data, user, password, inboxPrefix: inboxPrefix ?? inboxPrefixOf(principal) };
}

const inboxPrefixOf = (principal: string): string => `_INBOX.${principal}`;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
