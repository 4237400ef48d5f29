import { FsList } from '@retrace/contracts';
import { describe, expect, it } from '@jest/globals';
import type { WorkspaceCalls } from '../workspace-calls.js';
import { Files } from './files.js';
import { streamOf } from './stream-of.js';

describe('Files', () => {
  it('lists all pages of a folder', async () => {
    const asked: unknown[] = [];
    const call = async (definition: unknown, request: { after?: string }) => {
      asked.push([definition, request]);
      return request.after === undefined
        ? { entries: [{ name: 'a' }, { name: 'b' }], next: 'b' }
        : { entries: [{ name: 'c' }], next: null };
    };
    const files = new Files({ call } as unknown as WorkspaceCalls);
    expect((await files.list('.')).map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    expect(asked).toEqual([
      [FsList, { path: '.' }],
      [FsList, { path: '.', after: 'b' }],
    ]);
  });
});

describe('streamOf', () => {
  const counted = () => {
    const state = { given: 0, ended: false };
    async function* chunks(): AsyncGenerator<Uint8Array> {
      try {
        for (; state.given < 3;) {
          state.given += 1;
          yield new Uint8Array(1);
        }
      } finally {
        state.ended = true;
      }
    }
    return { state, stream: streamOf(chunks()) };
  };

  it('reads nothing before somebody asks, and all of it in the end', async () => {
    const { state, stream } = counted();
    await new Promise((resolve) => setImmediate(resolve));
    expect(state.given).toBe(0);
    let size = 0;
    for await (const chunk of stream) size += chunk.length;
    expect(size).toBe(3);
  });

  it('ends the reading where nobody wants the rest', async () => {
    const { state, stream } = counted();
    for await (const _ of stream) break;
    expect(state).toEqual({ given: 1, ended: true });
  });
});
