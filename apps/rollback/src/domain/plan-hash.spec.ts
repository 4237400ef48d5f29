import { describe, expect, it } from '@jest/globals';
import { canonicalJson, type PlanBody, withHash } from './plan-hash.js';
import { context, lopId } from './testing/history-builder.js';

describe('canonical JSON', () => {
  it('does not depend on the order of keys, and keeps that of lists', () => {
    expect(canonicalJson({ b: [2, 1], a: { d: null, c: 'x' } })).toBe('{"a":{"c":"x","d":null},"b":[2,1]}');
  });

  it('leaves out what is not there, as JSON does', () => expect(canonicalJson({ a: undefined })).toBe('{}'));
});

describe('the name of a plan', () => {
  const body: PlanBody = {
    workspace: 'notes',
    requested_by: context.requestedBy,
    selection: { by: 'logical_operation', logical_operation_id: lopId(1) },
    except: [],
    options: { merge: false, force: false, skip: false, all_or_none: false },
    at_sequence: 7,
    undoes: [],
    owners: [],
    steps: [],
    step_count: 0,
    left_out: [],
  };

  it('is made of all that the plan says', () => {
    const text = (given: PlanBody): string => withHash(given, (canonical) => canonical).plan_hash;
    expect(text({ ...body })).toBe(text(Object.fromEntries(Object.entries(body).toReversed()) as PlanBody));
    expect(text({ ...body, at_sequence: 8 })).not.toBe(text(body));
  });
});
