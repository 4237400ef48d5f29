import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BlobHashSchema, PrincipalSchema } from '@retrace/contracts';
import { UploadLedger } from './upload-ledger.js';

const writer = PrincipalSchema.parse('writer');
const reviewer = PrincipalSchema.parse('reviewer');
const [one, two] = ['1', '2'].map((digit) => BlobHashSchema.parse(digit.repeat(64))) as [never, never];

describe('the ledger of uploads', () => {
  let folder: string;
  let ledger: UploadLedger;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'retrace-ledger-'));
    ledger = UploadLedger.open(folder, 'process');
  });
  afterEach(async () => {
    await ledger.close();
    rmSync(folder, { recursive: true });
  });

  it('knows who brought what, and nobody else', async () => {
    await ledger.add(writer, one);
    expect([ledger.has(writer, one), ledger.has(writer, two), ledger.has(reviewer, one)]).toEqual([true, false, false]);
  });

  it('keeps it over a restart', async () => {
    await ledger.add(writer, one);
    await ledger.close();
    ledger = UploadLedger.open(folder, 'process');
    expect(ledger.has(writer, one)).toBe(true);
  });

  it('says at once what is missing when nobody waits', async () => {
    await ledger.add(writer, one);
    expect(await ledger.missing(writer, [one, two], 0)).toEqual([two]);
  });

  it('waits for what comes in time', async () => {
    const missing = ledger.missing(writer, [one, two], 60_000);
    await ledger.add(writer, two);
    await ledger.add(writer, one);
    expect(await missing).toEqual([]);
  });

  it('says what did not come in time, and is not woken by what others bring', async () => {
    const missing = ledger.missing(writer, [one], 50);
    await ledger.add(reviewer, one);
    expect(await missing).toEqual([one]);
  });

  it('lets nobody wait beyond its end', async () => {
    const missing = ledger.missing(writer, [one], 60_000);
    await ledger.close();
    expect(await missing).toEqual([one]);
    ledger = UploadLedger.open(folder, 'process');
  });
});
