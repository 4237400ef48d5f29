import { afterAll, beforeAll, describe, jest } from '@jest/globals';
import { postgresIsSkipped } from './find-postgres.js';
import { type ModelsFactory, postgresModels, sqliteModels, type TemporaryModels } from './temporary-models.js';

/** `open` gives empty read models; `runs`: how often a property is tried, as an empty schema takes a while. */
type Specs = (open: () => Promise<TemporaryModels>, runs: number) => void;

/** Runs the same specs on SQLite and on PostgreSQL. */
export function onEachDatabase(name: string, specs: Specs): void {
  // A schema takes a while to make where the machine is busy.
  jest.setTimeout(60_000);
  describeOn('SQLite', name, sqliteModels, 25, specs);
  describeOn('PostgreSQL', name, postgresModels, 3, specs);
}

function describeOn(kind: string, name: string, make: () => Promise<ModelsFactory>, runs: number, specs: Specs): void {
  // Told as skipped, never left out in silence.
  const block = kind === 'PostgreSQL' && postgresIsSkipped() ? describe.skip : describe;
  block(`${name} (${kind})`, () => {
    let factory: ModelsFactory;
    beforeAll(async () => {
      factory = await make();
    }, 120_000);
    specs(() => factory.open(), runs);
    // Behind those of the specs, which close what they opened.
    afterAll(() => factory.close());
  });
}
