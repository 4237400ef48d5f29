import { describe, expect, it } from '@jest/globals';
import type { BlobUpload } from '@retrace/blob-store';
import { PrincipalSchema } from '@retrace/contracts';
import { OpenUploads, UPLOADS_EACH } from './open-uploads.js';

const [writer, reviewer] = ['writer', 'reviewer'].map((name) => PrincipalSchema.parse(name)) as [never, never];

describe('uploads under way', () => {
  const aborted: string[] = [];
  const open = (name: string) => () =>
    Promise.resolve({ abort: () => Promise.resolve(void aborted.push(name)) } as unknown as BlobUpload);

  it('are opened once, however many first chunks come', async () => {
    const uploads = new OpenUploads();
    const [a, b] = await Promise.all([uploads.of(writer, 'x', open('x')), uploads.of(writer, 'x', open('y'))]);
    expect(a).toBe(b);
  });

  it("end the oldest of the same principal when there are too many, and nobody else's", async () => {
    const uploads = new OpenUploads();
    const theirs = await uploads.of(reviewer, 'r', open('r'));
    for (let i = 0; i <= UPLOADS_EACH; i++) await uploads.of(writer, `w${i}`, open(`w${i}`));
    await Promise.resolve();
    expect(aborted).toEqual(['w0']);
    expect(await uploads.of(reviewer, 'r', open('other'))).toBe(theirs);
  });
});
