import { PostgresStore, type ReadModelStore, SqliteStore } from '@retrace/read-models';
import { z } from 'zod';

/** What projection reads from its environment. */
const EnvironmentSchema = z.object({
  /** A PostgreSQL database for the read models; a SQLite file in the data folder where absent. */
  RETRACE_DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'postgres://user:password@host:port/database')
    .optional(),
  /** Schema of the read models: installations that share a database need one each. */
  RETRACE_DATABASE_SCHEMA: z.string().min(1).default('retrace'),
});

/** Opens the place of the read models. */
export async function openStore(environment: NodeJS.ProcessEnv, dataDir: string): Promise<ReadModelStore> {
  const parsed = EnvironmentSchema.safeParse(environment);
  if (!parsed.success) throw new Error(`environment of projection:\n${z.prettifyError(parsed.error)}`);
  const { RETRACE_DATABASE_URL: url, RETRACE_DATABASE_SCHEMA: schema } = parsed.data;
  return url === undefined ? new SqliteStore(dataDir) : PostgresStore.open({ url, schema });
}
