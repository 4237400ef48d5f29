import { describe, expect, it } from '@jest/globals';
import { WorkspaceNameSchema, type WorkspacePath, WorkspacePathSchema } from '@retrace/contracts';
import * as fc from 'fast-check';
import { extended, MOST_PLACES, MOST_SOURCES, type Place, type Sources, sourcesAt, withPlace } from './place.js';

const workspace = WorkspaceNameSchema.parse('docs');
const path = (name: string): WorkspacePath => WorkspacePathSchema.parse(name);
const place = (name: string, sources: Sources = []): Place => ({ workspace, path: path(name), sources });
const kept = (places: readonly Place[]): readonly Place[] =>
  places.reduce<readonly Place[]>((all, each) => withPlace(all, each), []);
const many = (count: number, sources: Sources = []): Place[] =>
  Array.from({ length: count }, (_, i) => place(`f${i}`, sources));

describe('the places of a content', () => {
  it('are known once: what came by a move does not become its own there', () => {
    const moved = place('here', [path('secret')]);
    expect(kept([moved, place('here')])).toEqual([moved]);
  });

  it('tell the same path of two workspaces apart', () => {
    const other = { ...place('here'), workspace: WorkspaceNameSchema.parse('site') };
    expect(kept([place('here'), other])).toHaveLength(2);
  });

  it('lose the oldest that is its own where they are too many', () => {
    const moved = place('moved', [path('secret')]);
    const places = kept([moved, ...many(MOST_PLACES - 1), place('last')]);
    expect(places.map((each) => each.path)).toEqual([
      'moved',
      ...many(MOST_PLACES - 1)
        .map((each) => each.path)
        .slice(1),
      'last',
    ]);
  });

  it('take no more where all came by moves, and say of others that nobody knows', () => {
    const full = kept(many(MOST_PLACES, [path('secret')]));
    expect(withPlace(full, place('last'))).toBe(full);
    expect(sourcesAt(full, place('last'))).toBeNull();
    expect(sourcesAt(full.slice(1), place('last'))).toEqual([]);
  });

  it('never forget, in any order, a path that a content was moved by', () => {
    const anyPlace = fc
      .tuple(fc.nat(40), fc.boolean())
      .map(([i, moved]) => place(`f${i}`, moved ? [path('secret')] : []));
    fc.assert(
      fc.property(fc.array(anyPlace, { maxLength: 100 }), (seen) => {
        let places: readonly Place[] = [];
        const moved = new Set<string>();
        for (const each of seen) {
          // As the fold does it: what is known of the place counts, then what is told.
          const known = sourcesAt(places, each);
          const sources = each.sources?.length ? each.sources : known;
          if (sources === null || sources.length > 0)
            if (!places.some((one) => one.path === each.path)) moved.add(each.path);
          places = withPlace(places, { ...each, sources });
          expect(places.length).toBeLessThanOrEqual(MOST_PLACES);
          for (const name of moved) expect(sourcesAt(places, place(name))).not.toEqual([]);
        }
      }),
    );
  });
});

describe('the way that a content came', () => {
  it('has each path once', () => {
    expect(extended([path('a'), path('b')], path('a'))).toEqual(['a', 'b']);
  });

  it('is lost beyond what is kept, and stays so', () => {
    const most = Array.from({ length: MOST_SOURCES }, (_, i) => path(`f${i}`));
    expect(extended(most.slice(1), path('last'))).toHaveLength(MOST_SOURCES);
    expect(extended(most, path('last'))).toBeNull();
    expect(extended(null, path('last'))).toBeNull();
  });
});
