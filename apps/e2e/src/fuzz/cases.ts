import { BytesSchema, type CallDefinition, callPattern, RPC_HEADERS } from '@retrace/contracts';
import * as fc from 'fast-check';
import { CALLS, INTENT_SHAPES, requestShape, type Shape } from '../contract-shapes/shapes.js';
import { arbitraryOf } from './arbitrary-of.js';
import { bytesOf } from './mutations.js';
import { HEADER_VALUES } from './nasty.js';
import type { FuzzWords } from './words.js';

export const AGENT = 'fuzzer';
export const OPERATOR = '_op-local';

/** One message of a client, as it goes on the wire. */
export interface FuzzCase {
  readonly as: typeof AGENT | typeof OPERATOR;
  readonly subject: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Base64. */
  readonly body: string;
}

/** Each of these keeps a service busy for long: their number is a matter of load, not of kind. */
const RARE: Readonly<Record<string, number>> = { 'query.rebuild': 0, 'plan.make': 4, 'plan.diff': 4 };
const USUAL = 20;
/** Places that are certainly no folder: a run must not take the machine's own under care. */
const NO_FOLDERS = ['', '.', '..', '/nowhere-at-all', '/etc/passwd', '/proc/self/fd/0', 'x'.repeat(4_096)];

const workspaces = fc.oneof(
  { weight: 20, arbitrary: fc.constant('fuzzed') },
  { weight: 1, arbitrary: fc.constantFrom('_', 'calm', 'nobody', 'constructor', '=', '=41', 'A', '*', 'x'.repeat(64)) },
);
const who: fc.Arbitrary<FuzzCase['as']> = fc.constantFrom(AGENT, AGENT, AGENT, OPERATOR);

/** Intents and calls of every kind that the contracts know. */
export const casesOf = (words: FuzzWords): fc.Arbitrary<FuzzCase> =>
  fc.oneof({ weight: 2, arbitrary: intentCases(words) }, { weight: 3, arbitrary: callCases(words) });

function intentCases(words: FuzzWords): fc.Arbitrary<FuzzCase> {
  const intents = INTENT_SHAPES.map((shape) => ({
    weight: shape.properties?.operations ? 6 : 1,
    arbitrary: arbitraryOf(shape, words),
  }));
  return fc
    .tuple(who, workspaces, bytesOf(fc.oneof(...intents)), strangeHeaders)
    .map(([as, workspace, bytes, headers]) => made(as, `retrace.intent.${workspace}.${as}`, headers, bytes));
}

function callCases(words: FuzzWords): fc.Arbitrary<FuzzCase> {
  const calls = CALLS.map((call) => ({
    weight: RARE[callPattern(call)] ?? USUAL,
    arbitrary: call.request === BytesSchema ? rawCase(call, words) : jsonCase(call, words),
  }));
  return fc.oneof(...calls.filter(({ weight }) => weight > 0));
}

function jsonCase(call: CallDefinition, words: FuzzWords): fc.Arbitrary<FuzzCase> {
  const pattern = callPattern(call);
  const asOperatorToo = pattern === 'fs.add_workspace' ? fc.constant(AGENT) : who;
  const body = bytesOf(arbitraryOf(requestShape(call), words));
  const plain = fc
    .tuple(asOperatorToo, workspaces, body, strangeHeaders)
    .map(([as, workspace, bytes, headers]) => made(as, `retrace.rpc.${as}.${workspace}.${pattern}`, headers, bytes));
  return pattern === 'fs.add_workspace' ? fc.oneof(plain, noFolder(call, words)) : plain;
}

const noFolder = (call: CallDefinition, words: FuzzWords): fc.Arbitrary<FuzzCase> =>
  fc
    .tuple(arbitraryOf(nameOf(requestShape(call)), words), fc.constantFrom(...NO_FOLDERS))
    .map(([name, root]) =>
      made(OPERATOR, `retrace.rpc.${OPERATOR}._.${callPattern(call)}`, {}, Buffer.from(JSON.stringify({ name, root }))),
    );

const nameOf = ({ properties = {} }: Shape): Shape => properties.name ?? {};

/** Pieces of content: where they go stands in the headers. */
function rawCase(call: CallDefinition, words: FuzzWords): fc.Arbitrary<FuzzCase> {
  const contents = [...words.contents];
  const right = fc
    .constantFrom(...contents)
    .map(([hash, bytes]) => ({ bytes, values: [hash, '0', `${bytes.length}`] }));
  const values = fc.array(fc.constantFrom(...HEADER_VALUES, ...contents.map(([hash]) => hash)), {
    minLength: 3,
    maxLength: 3,
  });
  const wrong = fc.record({ bytes: fc.uint8Array({ maxLength: 2_000 }), values });
  return fc.tuple(who, workspaces, fc.oneof(right, wrong)).map(([as, workspace, { bytes, values: given }]) => {
    const names = [RPC_HEADERS.hash, RPC_HEADERS.offset, RPC_HEADERS.size];
    const headers = Object.fromEntries(names.map((name, at) => [name, given[at]!]));
    return made(as, `retrace.rpc.${as}.${workspace}.${callPattern(call)}`, headers, bytes);
  });
}

const strangeHeaders = fc.oneof(
  { weight: 30, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.dictionary(
      fc.constantFrom('Retrace-Error', 'Retrace-Hash', 'ce-id', 'ce-type', 'ce-page', 'traceparent', 'Nats-Msg-Id'),
      fc.constantFrom(...HEADER_VALUES),
    ),
  },
) as fc.Arbitrary<Record<string, string>>;

const made = (as: FuzzCase['as'], subject: string, headers: FuzzCase['headers'], bytes: Uint8Array): FuzzCase => ({
  as,
  subject,
  headers,
  body: Buffer.from(bytes).toString('base64'),
});
