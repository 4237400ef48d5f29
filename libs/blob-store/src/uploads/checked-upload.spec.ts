import { describe, expect, it } from '@jest/globals';
import { bytesOf, expectRefusal } from '../contract/bench.js';
import { blobHashOf } from '../sha256.js';
import { CheckedUpload } from './checked-upload.js';
import type { UploadSink } from './upload-sink.js';

const CONTENT = bytesOf(1000);

function sinkThatFails(times: number) {
  const written = new Uint8Array(CONTENT.length);
  let left = times;
  const sink: UploadSink = {
    write: async (bytes, position) => {
      left -= 1;
      if (left >= 0) throw new Error('disk full');
      written.set(bytes, position);
    },
    keep: async () => 'stored',
    discard: async () => undefined,
  };
  return { sink, written };
}

describe('CheckedUpload', () => {
  it('takes a chunk again after its write failed', async () => {
    const { sink, written } = sinkThatFails(1);
    const upload = new CheckedUpload(blobHashOf(CONTENT), CONTENT.length, sink);
    await expect(upload.append(0, CONTENT)).rejects.toThrow('disk full');
    expect(upload.received).toBe(0);
    await upload.append(0, CONTENT);
    expect(await upload.commit()).toBe('stored');
    expect(blobHashOf(written)).toBe(upload.hash);
  });

  it('tells of a wrong hash though the leftovers cannot be removed', async () => {
    const { sink } = sinkThatFails(0);
    sink.discard = async () => Promise.reject(new Error('cannot unlink'));
    const upload = new CheckedUpload(blobHashOf(bytesOf(1)), CONTENT.length, sink);
    await upload.append(0, CONTENT);
    await expectRefusal(upload.commit(), 'blob_mismatch');
  });

  it('answers a failed commit the same way again', async () => {
    const { sink } = sinkThatFails(0);
    sink.keep = async () => Promise.reject(new Error('disk full'));
    const upload = new CheckedUpload(blobHashOf(CONTENT), CONTENT.length, sink);
    await upload.append(0, CONTENT);
    await expect(upload.commit()).rejects.toThrow('disk full');
    await expect(upload.commit()).rejects.toThrow('disk full');
    expect(upload.open).toBe(false);
  });
});
