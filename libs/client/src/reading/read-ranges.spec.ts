import { type CallDefinition, CHUNK_BYTES, RPC_HEADERS, type WorkspaceName } from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import { fileState } from '../testing/outcome-data.js';
import { readFile } from './read-ranges.js';

const WORKSPACE = 'notes' as WorkspaceName;

/** A file of which the spec says what stands at each reading. */
const callsOn = (contentAt: (nth: number) => { bytes: Uint8Array; version: string }) => {
  let nth = 0;
  const ask = (_: CallDefinition, _workspace: unknown, request: { offset: number; length: number }) => {
    const { bytes, version } = contentAt((nth += 1));
    const headers: Record<string, string> = {
      [RPC_HEADERS.size]: String(bytes.length),
      [RPC_HEADERS.state]: JSON.stringify(fileState(version, bytes.length)),
    };
    const reply = bytes.subarray(request.offset, request.offset + request.length);
    return Promise.resolve({ reply, header: (name: string) => headers[name] });
  };
  return { ask } as unknown as Parameters<typeof readFile>[0];
};
const bytes = (size: number): Uint8Array => new Uint8Array(size).fill(97);

describe('readFile', () => {
  it.each([0, 5, CHUNK_BYTES, 2 * CHUNK_BYTES + 1])('reads %i bytes', async (size) => {
    const file = await readFile(
      callsOn(() => ({ bytes: bytes(size), version: 'a' })),
      WORKSPACE,
      'a.md',
    );
    expect(file.bytes.length).toBe(size);
    expect(file.text()).toBe('a'.repeat(size));
    expect(file.state).toEqual(fileState('a', size));
  });

  it('begins again when the file changes between two ranges', async () => {
    const changing = callsOn((nth) => ({ bytes: bytes(CHUNK_BYTES + 1), version: nth === 1 ? 'a' : 'b' }));
    expect((await readFile(changing, WORKSPACE, 'a.md')).state).toMatchObject({ hash: 'b'.repeat(64) });
  });

  it('never mixes two versions of a file', async () => {
    const restless = callsOn((nth) => ({ bytes: bytes(CHUNK_BYTES + 1), version: (nth % 2).toString() }));
    await expect(readFile(restless, WORKSPACE, 'a.md')).rejects.toMatchObject({ code: 'changed_outside' });
  });
});
