import { describe, expect, it } from '@jest/globals';
import {
  ABSENT,
  type AuthorizedOperation,
  type Fact,
  IntentAuthorized,
  type OperationRequest,
  parentPath,
  type PathState,
  samePathState,
} from '@retrace/contracts';
import * as fc from 'fast-check';
import type { Findings, Reach, Tree } from './decision-input.js';
import { apply, decideOn, fact, file, folder, id, ready, transfer } from './testing.js';

/** What stands at each path of a workspace. */
type Model = Map<string, PathState>;
const at = (model: Model, path: string): PathState => model.get(path) ?? ABSENT;
const below = (model: Model, path: string): string[] =>
  [...model.keys()].filter((other) => other.startsWith(`${path}/`)).toSorted();
const isFolder = (model: Model, path: string | undefined): boolean =>
  path === undefined || at(model, path).kind === 'directory';

class Fails extends Error {}
function must(condition: boolean): void {
  if (!condition) throw new Fails();
}

/** What the asked verbs mean, said without any expansion. */
function run(request: OperationRequest, model: Model): void {
  const { path } = request;
  switch (request.action) {
    case 'create':
    case 'write':
      must(isFolder(model, parentPath(path)) && at(model, path).kind !== 'directory');
      must(request.action === 'write' || at(model, path).kind === 'absent');
      return void model.set(path, file('e'));
    case 'mkdir':
      for (const above of request.parents ? foldersAbove(path) : []) run(mkdir(above), model);
      must(isFolder(model, parentPath(path)) && ['absent', 'directory'].includes(at(model, path).kind));
      return void (at(model, path).kind === 'absent' && model.set(path, folder()));
    case 'rmdir':
      must(at(model, path).kind === 'directory' && below(model, path).length === 0);
      return void model.delete(path);
    case 'delete': {
      must(model.has(path) && (request.recursive === true || below(model, path).length === 0));
      for (const gone of [path, ...below(model, path)]) model.delete(gone);
      return;
    }
    case 'move':
    case 'copy': {
      const { to } = request;
      must(model.has(path) && to !== path && !to.startsWith(`${path}/`) && isFolder(model, parentPath(to)));
      const isWhole = at(model, path).kind === 'directory';
      must(!isWhole || request.action === 'move' || request.recursive === true);
      const there = at(model, to).kind;
      must(there === 'absent' || (!isWhole && there === 'file' && request.overwrite === true));
      const carried = [path, ...below(model, path)].map((from) => [from, at(model, from)] as const);
      if (request.action === 'move') for (const [from] of carried) model.delete(from);
      for (const [from, state] of carried) model.set(`${to}${from.slice(path.length)}`, state);
      return;
    }
    case 'append':
    case 'chmod':
    case 'edit':
    case 'symlink':
      throw new Error(`${request.action} is not modelled`);
  }
}

const mkdir = (path: string): OperationRequest => ({ action: 'mkdir', operation_id: id('op', 99), path });
const foldersAbove = (path: string): string[] =>
  path
    .split('/')
    .slice(0, -1)
    .map((_, index, names) => names.slice(0, index + 1).join('/'));

/** What execution does: one path at a time, each as it is pinned. */
function runPrimitive({ request, canonical, pin, source }: AuthorizedOperation, model: Model): void {
  const check = (path: string, { kind, ...rest }: AuthorizedOperation['pin']): void => {
    if (kind === 'absent') must(!model.has(path));
    if (kind === 'state' && 'state' in rest) must(samePathState(rest.state, at(model, path)));
  };
  check(canonical, pin);
  if (source) check(source.canonical, source.pin);
  switch (request.action) {
    case 'move':
    case 'copy':
      must(at(model, source!.canonical).kind === 'file');
      return run({ ...request, path: source!.canonical, to: canonical }, model);
    case 'delete':
      return run({ action: 'delete', operation_id: request.operation_id, path: canonical }, model);
    case 'mkdir': {
      const isNew = !model.has(canonical);
      run(mkdir(canonical), model);
      if (isNew && request.mode !== undefined) model.set(canonical, folder(request.mode));
      return;
    }
    case 'append':
    case 'chmod':
    case 'create':
    case 'edit':
    case 'rmdir':
    case 'symlink':
    case 'write':
      return run({ ...request, path: canonical }, model);
  }
}

const factsAt = (model: Model, { path, deep }: Reach): Tree => {
  const paths = deep && isFolder(model, path) ? [path, ...below(model, path)] : [path];
  const facts: Fact[] = paths.map((one) => fact(one, at(model, one)));
  return { facts, deep: deep && isFolder(model, path), more: false };
};

/** Answers every question from the model, until there is a decision. */
function decideWith(model: Model, operations: OperationRequest[]): readonly AuthorizedOperation[] | 'refused' {
  let trees = new Map<string, Tree>();
  for (let questions = 0; questions < 8; questions++) {
    const findings: Partial<Findings> = { trees };
    const decision = decideOn(ready, { intent: apply(operations), findings });
    if (decision.kind === 'need_trees')
      trees = new Map([...trees, ...decision.reaches.map((reach) => [reach.path, factsAt(model, reach)] as const)]);
    else if (decision.kind === 'decided')
      return decision.event.type === IntentAuthorized.type && 'operations' in decision.event.data
        ? decision.event.data.operations
        : 'refused';
    else throw new Error(`asked ${decision.kind}`);
  }
  throw new Error('asks for ever');
}

function outcome(model: Model, work: (copy: Model) => void): [string, PathState][] | 'refused' {
  const copy = new Map(model);
  try {
    work(copy);
  } catch (error) {
    if (error instanceof Fails) return 'refused';
    throw error;
  }
  return [...copy].toSorted(([a], [b]) => (a < b ? -1 : 1));
}

const name = fc.constantFrom('a', 'b');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => ['free', ...names].join('/'));
const model = fc.array(fc.tuple(path, fc.constantFrom('b', 'c', 'd')), { maxLength: 10 }).chain((files) =>
  fc.array(fc.tuple(path, fc.constantFrom(0o755, 0o700)), { maxLength: 5 }).map((folders) => {
    const built: Model = new Map([['free', folder()]]);
    for (const [at_, mode] of [...folders, ...files.map(([file_]) => [parentPath(file_)!, 0o755] as const)])
      for (const above of [...foldersAbove(at_), at_])
        if (!built.has(above)) built.set(above, folder(above === at_ ? mode : 0o755));
    for (const [at_, content] of files) if (!built.has(at_)) built.set(at_, file(content));
    return built;
  }),
);
const request = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ action: fc.constant('move' as const), path, to: path, overwrite: fc.boolean() }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      action: fc.constant('copy' as const),
      path,
      to: path,
      overwrite: fc.boolean(),
      recursive: fc.boolean(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ action: fc.constant('delete' as const), path, recursive: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ action: fc.constant('mkdir' as const), path, parents: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ action: fc.constant('rmdir' as const), path }) },
  {
    weight: 2,
    arbitrary: fc.record({
      action: fc.constantFrom('create' as const, 'write' as const),
      path,
      content_hash: fc.constant('e'.repeat(64)),
      size: fc.constant(1),
    }),
  },
);
const requests = fc
  .array(request, { minLength: 1, maxLength: 3 })
  .map((all) => all.map((one, index) => ({ ...one, operation_id: id('op', index + 1) }) as OperationRequest));

describe('property: the expansion of an intent', () => {
  it('does to a tree what its verbs do to it, or is refused where they fail', () => {
    let applied = 0;
    fc.assert(
      fc.property(model, requests, (before, asked) => {
        const meant = outcome(before, (copy) => asked.forEach((one) => run(one, copy)));
        const authorized = decideWith(before, asked);
        const done =
          authorized === 'refused'
            ? 'refused'
            : outcome(before, (copy) => authorized.forEach((one) => runPrimitive(one, copy)));
        expect(done).toEqual(meant);
        if (meant !== 'refused') applied += 1;
      }),
      { numRuns: 2000 },
    );
    expect(applied).toBeGreaterThan(100);
  });

  it('names each path’s operation once, and holds what was asked for', () => {
    fc.assert(
      fc.property(model, requests, (before, asked) => {
        const authorized = decideWith(before, asked);
        if (authorized === 'refused') return;
        const ids = authorized.map(({ request: { operation_id } }) => operation_id);
        expect(new Set(ids).size).toBe(ids.length);
        const roots = authorized.filter(({ part_of }) => part_of === undefined);
        expect(roots.map(({ request: own, asked: whole }) => whole ?? own)).toEqual(asked);
        const known = new Set(asked.map(({ operation_id }) => operation_id));
        const parts = authorized.flatMap(({ part_of }) => part_of ?? []);
        expect(parts.every((part) => known.has(part))).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });

  it('moves a folder there and back', () => {
    fc.assert(
      fc.property(model, path, (before, from) => {
        const elsewhere = 'free/elsewhere';
        const asked = [transfer('move', from, elsewhere, {}, 1), transfer('move', elsewhere, from, {}, 2)];
        const authorized = decideWith(before, asked);
        if (authorized === 'refused' || !before.has(from)) return;
        expect(outcome(before, (copy) => authorized.forEach((one) => runPrimitive(one, copy)))).toEqual(
          outcome(before, () => undefined),
        );
      }),
    );
  });
});
