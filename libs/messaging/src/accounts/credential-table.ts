import { NOBODY, type Principal, PrincipalSchema } from '@retrace/contracts';
import { z } from 'zod';
import { AccountsError } from './accounts-error.js';
import { SERVICE_USERS, type ServiceUser } from './service-permissions.js';

/** Base64url of random bytes, long enough that nobody guesses it: nothing in it can end a string of the configuration. */
const PasswordSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{32,}$/, 'a generated password (base64url, 32 characters or more)');

const ServiceCredentialSchema = z.object({ user: z.string().regex(/^_svc-[a-z]+$/), password: PasswordSchema });
const PrincipalCredentialSchema = z.object({
  password: PasswordSchema,
  created_at: z.iso.datetime(),
  /** Where it is a member, as far as the CLI that added it knows; policy decides from its own record. */
  workspaces: z.array(z.string()).optional(),
});

const CredentialTableSchema = z.object({
  services: z.partialRecord(z.enum(SERVICE_USERS), ServiceCredentialSchema),
  principals: z.record(z.string(), PrincipalCredentialSchema),
});

export type ServiceCredential = z.infer<typeof ServiceCredentialSchema>;
export type PrincipalCredential = z.infer<typeof PrincipalCredentialSchema>;
export type CredentialTable = z.infer<typeof CredentialTableSchema>;

export const EMPTY_TABLE: CredentialTable = { services: {}, principals: {} };

/** User names are shared by all accounts of a server. No principal can be called this: after `_` they have no dash but `_op-`. */
export const serviceUser = (name: ServiceUser): string => `_svc-${name}`;

/** The inbox that a principal's permissions allow; for the client's `inboxPrefix`. */
export const inboxPrefixOf = (principal: Principal): string => `_INBOX.${principal}`;

/** An agent may be called `constructor`, which every object answers to: only what was written counts. */
export const credentialOf = ({ principals }: CredentialTable, principal: Principal): PrincipalCredential | undefined =>
  Object.hasOwn(principals, principal) ? principals[principal] : undefined;

/** Takes a name that can have an account. Errors: `principal_invalid` (also for `_`, whose outcomes are the system's). */
export const parsePrincipal = (name: string): Principal => {
  const parsed = PrincipalSchema.safeParse(name);
  if (parsed.success && parsed.data !== NOBODY) return parsed.data;
  const why = parsed.error?.issues[0]?.message ?? 'it stands for nobody';
  throw new AccountsError(
    'principal_invalid',
    `${JSON.stringify(name)} cannot have an account: ${why}. Choose another name.`,
  );
};

/** Reads the text of credentials.json. Errors: `credentials_invalid`, naming the file and what is wrong, never a password. */
export const parseCredentialTable = (text: string, file: string): CredentialTable => {
  const invalid = (why: string, cause?: unknown) =>
    new AccountsError(
      'credentials_invalid',
      `${file} is damaged: ${why}. Restore it, or delete it for new passwords.`,
      { cause },
    );
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw invalid('it is not JSON'); // without the cause, which quotes the text
  }
  const parsed = CredentialTableSchema.safeParse(json);
  if (!parsed.success) throw invalid(z.prettifyError(parsed.error), parsed.error);
  Object.keys(parsed.data.principals).forEach(parsePrincipal);
  return parsed.data;
};
