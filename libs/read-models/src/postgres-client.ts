import pg from 'pg';

/** The driver's client. */
// oxlint-disable-next-line import/no-named-as-default-member -- where it is loaded as CommonJS nobody can tell its names
const PostgresClient = pg.Client;
type PostgresClient = InstanceType<typeof PostgresClient>;

export { PostgresClient };
