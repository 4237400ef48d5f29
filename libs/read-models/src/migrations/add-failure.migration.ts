import type { MigrationInterface, QueryRunner } from 'typeorm';

/** What a failure met. Failures that were folded before keep their code and message alone. */
export class AddFailure1767312000000 implements MigrationInterface {
  // TypeORM finds the time in the name, which a minifier would take away.
  readonly name = 'AddFailure1767312000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "logical_operation" ADD COLUMN "failure" text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE "logical_operation" DROP COLUMN "failure"');
  }
}
