import { createHash } from 'node:crypto';
import { RetraceError } from '@retrace/contracts';
import { PostgresClient } from '../postgres-client.js';
import { ReadModels } from '../read-models.js';
import { isCurrent, type NumberedReadModels, type ReadModelStore } from './read-model-store.js';

export interface PostgresPlace {
  readonly url: string;
  /** Schema of the pointer; the tables lie in `<schema>_models_<number>`. */
  readonly schema: string;
}

/** Not a name that another installation's tables may have. */
const SCHEMA = /^(?!.*_models_\d+$)[a-z][a-z0-9_]{0,40}$/;

/** Read models as schemas of a PostgreSQL database. */
export class PostgresStore implements ReadModelStore {
  private newest = 1;

  private lost = false;

  private constructor(
    private readonly place: PostgresPlace,
    private client: PostgresClient,
  ) {
    this.watch();
  }

  /** Connects, and takes the schema for itself. Throws `unavailable` where nobody answers or somebody else has it. */
  static async open(place: PostgresPlace): Promise<PostgresStore> {
    if (!SCHEMA.test(place.schema))
      throw new RetraceError(
        'bad_request',
        `RETRACE_DATABASE_SCHEMA is ${place.schema}: use a-z, 0-9 and _, at most 41, and no _models_ with a number at the end`,
      );
    return new PostgresStore(place, await connect(place));
  }

  async openCurrent(): Promise<NumberedReadModels> {
    const number = await this.current();
    this.newest = number;
    for (const other of await this.numbers()) if (other !== number) await this.drop(other);
    await this.query(`CREATE SCHEMA IF NOT EXISTS "${this.name(number)}"`);
    return this.models(number);
  }

  async openNext(): Promise<NumberedReadModels> {
    this.newest = Math.max(this.newest, await this.current()) + 1;
    await this.drop(this.newest);
    await this.query(`CREATE SCHEMA "${this.name(this.newest)}"`);
    return this.models(this.newest);
  }

  async makeCurrent(number: number): Promise<void> {
    await this.query(`UPDATE "${this.place.schema}".current SET number = $1`, [number]);
  }

  /** The pointer is read anew: a connection that was lost may have moved it. It has ended when another one gets in. */
  async drop(number: number): Promise<void> {
    if ((await this.current()) === number) throw isCurrent(number);
    await this.query(`DROP SCHEMA IF EXISTS "${this.name(number)}" CASCADE`);
  }

  async close(): Promise<void> {
    if (!this.lost) await this.client.end();
  }

  private async query<Row extends object>(text: string, values: unknown[] = []): Promise<{ rows: Row[] }> {
    if (this.lost) {
      this.client = await connect(this.place);
      this.watch();
    }
    return this.client.query(text, values);
  }

  /** The store is asked seldom: a connection that goes meanwhile is made anew when it is needed. */
  private watch(): void {
    this.lost = false;
    const { client } = this;
    for (const sign of ['error', 'end'] as const)
      client.on(sign, () => {
        if (client === this.client) this.lost = true;
      });
  }

  private async models(number: number): Promise<NumberedReadModels> {
    const { url } = this.place;
    return { number, models: await ReadModels.open({ kind: 'postgres', url, schema: this.name(number) }) };
  }

  private name(number: number): string {
    return `${this.place.schema}_models_${number}`;
  }

  private async current(): Promise<number> {
    const { rows } = await this.query<{ number: number }>(`SELECT number FROM "${this.place.schema}".current`);
    return rows[0]!.number;
  }

  private async numbers(): Promise<number[]> {
    const { rows } = await this.query<{ name: string }>('SELECT nspname AS name FROM pg_namespace');
    const numbered = new RegExp(`^${this.place.schema}_models_(\\d+)$`);
    return rows.flatMap(({ name }) => numbered.exec(name)?.[1] ?? []).map(Number);
  }
}

async function connect(place: PostgresPlace): Promise<PostgresClient> {
  const client = new PostgresClient({ connectionString: place.url, application_name: 'retrace projection (store)' });
  // Without a listener a connection that is lost would end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await takeSchema(client, place.schema);
    return client;
  } catch (error) {
    await client.end().catch(() => undefined);
    throw error instanceof RetraceError ? error : unreachable(error);
  }
}

/** Held by the connection: two services that fold into one schema would each find the other's positions. */
async function takeSchema(client: PostgresClient, schema: string): Promise<void> {
  const key = createHash('sha256').update(`retrace ${schema}`).digest().readInt32BE(0);
  const { rows } = await client.query<{ taken: boolean }>('SELECT pg_try_advisory_lock(827145, $1) AS taken', [key]);
  if (!rows[0]!.taken)
    throw new RetraceError(
      'unavailable',
      `another projection uses the schema ${schema} of this database; stop it, or set RETRACE_DATABASE_SCHEMA`,
    );
  await client.query(`CREATE SCHEMA IF NOT EXISTS "${schema}"`);
  await client.query(`CREATE TABLE IF NOT EXISTS "${schema}".current (number integer NOT NULL)`);
  await client.query(`INSERT INTO "${schema}".current SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM "${schema}".current)`);
}

const unreachable = (cause: unknown): RetraceError =>
  new RetraceError(
    'unavailable',
    `the database of RETRACE_DATABASE_URL does not take us (${(cause as Error).message}); see that it runs and that its user may create schemas`,
    { cause },
  );
