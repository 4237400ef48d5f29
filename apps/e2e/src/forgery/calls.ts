import { BytesSchema, type CallDefinition, callPattern, RPC_HEADERS } from '@retrace/contracts';
import { CALLS, requestShape } from '../contract-shapes/shapes.js';
import { examplesOf, type Words } from '../contract-shapes/examples.js';
import type { Got, Headers, PlainClient } from './plain-client.js';

export interface Attempt {
  readonly call: CallDefinition;
  readonly body: string;
  readonly headers: Headers;
}

/** Every call of the contracts with every way to ask it with these words. */
export const attempts = (words: Words): readonly Attempt[] =>
  CALLS.flatMap((call) => {
    if (call.request === BytesSchema) return [{ call, body: 'x', headers: chunkHeaders(words) }];
    return examplesOf(requestShape(call), words).map((body) => ({ call, body: JSON.stringify(body), headers: {} }));
  });

/** A piece that makes nothing whole. */
const chunkHeaders = ({ hash, size }: Words): Headers => ({
  [RPC_HEADERS.hash]: (hash as string[])[0]!,
  [RPC_HEADERS.offset]: '0',
  [RPC_HEADERS.size]: `${(size as number[])[0]}`,
});

export const subjectOf = (principal: string, workspace: string, { call }: Attempt): string =>
  `retrace.rpc.${principal}.${workspace}.${callPattern(call)}`;

export interface Tried extends Attempt {
  readonly workspace: string;
  readonly got: Got;
}

const AT_ONCE = 50;

/** Makes all attempts in all these workspaces, some at once. */
export async function tryAll(
  client: PlainClient,
  all: readonly Attempt[],
  workspaces: readonly string[],
): Promise<Tried[]> {
  const left = workspaces.flatMap((workspace) => all.map((attempt) => ({ ...attempt, workspace })));
  const tried: Tried[] = [];
  const work = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) {
      const got = await client.request(subjectOf(client.name, next.workspace, next), next.body, next.headers);
      tried.push({ ...next, got });
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return tried;
}
