import { describe, expect, it } from '@jest/globals';
import {
  type BlobHash,
  BlobHashSchema,
  type OperationRecord,
  type RecordedAction,
  WorkspaceNameSchema,
} from '@retrace/contracts';
import { moveOf, recordOf } from './applied.testing.js';
import { type Place, withPlace } from './place.js';
import { sightingsOf } from './places-of-record.js';

const [old, fresh] = ['1', '2'].map((digit) => BlobHashSchema.parse(digit.repeat(64))) as [BlobHash, BlobHash];
const workspace = WorkspaceNameSchema.parse('docs');

/** Answers where each content stood after these, as `path` or `path<source,source`. */
function stoodAfter(records: readonly OperationRecord[]): (hash: BlobHash) => string[] {
  const places = new Map<BlobHash, readonly Place[]>();
  const known = (hash: BlobHash) => places.get(hash) ?? [];
  for (const record of records)
    for (const { hash, place } of sightingsOf(record, workspace, known))
      places.set(hash, withPlace(known(hash), place));
  return (hash) =>
    known(hash).map(({ path, sources }) => (sources?.length === 0 ? path : `${path}<${String(sources)}`));
}

describe('where contents stood', () => {
  it.each<[RecordedAction, BlobHash | undefined, BlobHash | undefined]>([
    ['create', undefined, fresh],
    ['write', old, fresh],
    ['edit', old, fresh],
    ['append', old, fresh],
    ['chmod', old, old],
    ['delete', old, undefined],
    ['restore', old, fresh],
  ])('is the path of the operation: %s', (action, before, after) => {
    const stood = stoodAfter([recordOf(action, 'a', [before, after])]);
    const contents = [before, after].filter((hash) => hash !== undefined);
    expect(contents.map(stood)).toEqual(contents.map(() => ['a']));
  });

  it('is both ends of a move, the second with the first as its source', () => {
    const stood = stoodAfter(moveOf('secret', 'open', old, fresh));
    expect([stood(old), stood(fresh)]).toEqual([['secret', 'open<secret'], ['open']]);
  });

  it('is known of a move whichever end is told first', () => {
    const stood = stoodAfter(moveOf('secret', 'open', old).toReversed());
    expect(stood(old)).toEqual(['open<secret', 'secret']);
  });

  it('has the source of a copy, which is recorded at one end alone', () => {
    expect(stoodAfter([recordOf('copy', 'open', [undefined, old], { copied_from: 'secret' })])(old)).toEqual([
      'open<secret',
    ]);
  });

  it('has all paths of a content that went on and on', () => {
    const stood = stoodAfter([...moveOf('secret', 'b', old), ...moveOf('b', 'c', old)]);
    expect(stood(old)).toEqual(['secret', 'b<secret', 'c<secret,b']);
  });

  it.each<[RecordedAction, string]>([
    ['edit', 'open<secret'],
    ['append', 'open<secret'],
    ['restore', 'open<secret'],
    ['write', 'open'],
  ])('has the sources of what a content was made of: %s', (action, expected) => {
    const stood = stoodAfter([...moveOf('secret', 'open', old), recordOf(action, 'open', [old, fresh])]);
    expect(stood(fresh)).toEqual([expected]);
  });

  it('does not lose the source where the moved file is looked at again', () => {
    const stood = stoodAfter([...moveOf('secret', 'open', old), recordOf('chmod', 'open', [old, old])]);
    expect(stood(old)).toEqual(['secret', 'open<secret']);
  });
});
