import { describe, expect, it } from '@jest/globals';
import { type OperationRequest, pathsOverlap } from '@retrace/contracts';
import * as fc from 'fast-check';
import { apply, hash, id, operation, transfer } from './testing.js';
import { TouchedSet, type Touches, touchesOf } from './touches.js';

const overlap = (earlier: Touches, later: Touches): boolean => {
  const set = new TouchedSet();
  set.add(earlier);
  return set.overlaps(later);
};
const paths = (session: string, ...list: string[]): Touches => ({ kind: 'paths', session, paths: list });
const session = (name: string): Touches => ({ kind: 'session', session: name });
const part = (of: string, ...list: string[]): Touches => ({
  kind: 'paths',
  session: 's',
  paths: list,
  logicalOperation: of,
});
const lop = (name: string, of = 's'): Touches => ({ kind: 'logical_operation', session: of, logicalOperation: name });
const everything: Touches = { kind: 'everything' };
const nothing: Touches = { kind: 'nothing' };

describe('what intents touch', () => {
  it('is read off the canonical paths; a path without a spelling touches nothing', () => {
    const intent = apply([operation('write', './a//b', 1), operation('mkdir', '../x', 2)]);
    expect(touchesOf(intent)).toEqual(paths(id('ses', 1), 'a/b'));
    expect(touchesOf({ type: 'rollback', intent_id: id('int', 1), plan_hash: 'f'.repeat(64) })).toEqual(everything);
    expect(touchesOf({ type: 'session.complete', intent_id: id('int', 1), session_id: id('ses', 1) })).toEqual(
      session(id('ses', 1)),
    );
  });

  it('is both ends of a move or copy, and of folders made with those above them the topmost', () => {
    const parents = { ...operation('mkdir', 'x/y/z', 3), parents: true } as OperationRequest;
    const intent = apply([transfer('move', 'a/./b', 'c//d'), transfer('copy', 'e', 'f', {}, 2), parents]);
    expect(touchesOf(intent)).toEqual(paths(id('ses', 1), 'a/b', 'c/d', 'e', 'f', 'x'));
  });

  it('is unknown while the operations lie in a blob that was not read', () => {
    const blob = { hash: hash('f'), size: 2, count: 1 };
    const intent = apply([], { operations_blob: blob });
    expect(touchesOf(intent)).toEqual(everything);
    expect(touchesOf(intent, [operation('write', 'a')])).toEqual(paths(id('ses', 1), 'a'));
  });

  it.each<[string, Touches, Touches, boolean]>([
    ['other paths', paths('s', 'a', 'b/c'), paths('s', 'd', 'b/d'), false],
    ['a name that only begins alike', paths('s', 'a/b'), paths('s', 'a/bc'), false],
    ['one path', paths('s', 'a', 'b'), paths('t', 'c', 'b'), true],
    ['a folder above', paths('s', 'a/b/c'), paths('t', 'a'), true],
    ['a path below', paths('s', 'a'), paths('t', 'a/b/c'), true],
    ['the end of another session', session('s'), paths('t', 'a'), false],
    ['the opening of its session', session('s'), paths('s', 'a'), true],
    ['work of a session that ends', paths('s', 'a'), session('s'), true],
    ['opening and end', session('s'), session('s'), true],
    ['a rollback before', everything, paths('s', 'a'), true],
    ['a rollback behind', paths('s', 'a'), everything, true],
    ['parts of one logical operation', part('l', 'a'), part('l', 'b'), true],
    ['parts of two', part('l', 'a'), part('m', 'b'), false],
    ['the end of a logical operation behind a part', part('l', 'a'), lop('l'), true],
    ['a part behind its opening', lop('l'), part('l', 'a'), true],
    ['the end of another logical operation', part('l', 'a'), lop('m'), false],
    ['the end of a session behind that of a logical operation', lop('l'), session('s'), true],
    ['a logical operation behind the opening of its session', session('s'), lop('l'), true],
    ['one of another session', session('s'), lop('l', 't'), false],
    ['what touches nothing', everything, nothing, false],
    ['a rollback behind nothing', nothing, everything, false],
  ])('%s', (_what, earlier, later, expected) => {
    expect(overlap(earlier, later)).toBe(expected);
  });

  it('property: paths overlap as the contract says', () => {
    const path = fc
      .array(fc.constantFrom('a', 'b', 'ab'), { minLength: 1, maxLength: 4 })
      .map((names) => names.join('/'));
    fc.assert(
      fc.property(fc.array(path), path, (earlier, later) => {
        const expected = earlier.some((one) => pathsOverlap(one, later));
        expect(overlap(paths('s', ...earlier), paths('t', later))).toBe(expected);
      }),
    );
  });
});
