import { describe, expect, it } from '@jest/globals';
import {
  ABSENT,
  type ErrorCode,
  IntentAuthorized,
  IntentDenied,
  MAX_PATHS_PER_LOGICAL_OPERATION,
  type OperationRequest,
  type Pin,
} from '@retrace/contracts';
import type { Tree } from '../decision-input.js';
import {
  apply,
  authorized,
  fact,
  factsOf,
  file,
  folder,
  given,
  id,
  look,
  operation,
  partId,
  POLICY,
  published,
  ready,
  transfer,
  tree,
  treesOf,
} from '../testing.js';

const denied = (code: ErrorCode, more: object = {}) => [{ type: IntentDenied.type, data: { code, ...more } }];
const allowed = (...operations: object[]) => [{ type: IntentAuthorized.type, data: { operations } }];
const found = (state = file()): Pin => ({ kind: 'state', state, sequence: null });
const absent: Pin = { kind: 'absent', assumed: false };
const any: Pin = { kind: 'any' };
const op = id<never>('op', 1);
const expectOf = (requests: OperationRequest[], ...trees: Tree[]) =>
  given(ready).when({ intent: apply(requests), findings: treesOf(...trees) });
const message = (text: string | RegExp) => ({
  message: typeof text === 'string' ? expect.stringContaining(text) : expect.stringMatching(text),
});

describe('verbs on one path', () => {
  it.each<[OperationRequest['action'], string]>([
    ['append', 'overwrite'],
    ['chmod', 'overwrite'],
    ['symlink', 'create'],
    ['rmdir', 'delete'],
  ])('%s is judged as %s', (action, actionClass) => {
    expectOf([operation(action, 'free/a')]).thenMatches(allowed({ class: actionClass, pin: any }));
    expectOf([operation(action, 'closed/a')]).thenMatches(denied('rule_denies', { path: 'closed/a', action }));
  });

  it('an append creates where only that is allowed, as long as nothing stands there', () => {
    const intent = apply([operation('append', 'grows/a')]);
    given(ready)
      .when({ intent })
      .thenMatches(allowed({ class: 'create', pin: { kind: 'absent', assumed: true } }));
    given(ready)
      .when({ intent, attempt: 2, findings: factsOf([fact('grows/a', file())]) })
      .thenMatches(denied('no_rule'));
  });

  it('what may not be read is not moved to where it may', () => {
    expectOf([transfer('move', 'blind/a', 'free/a')], look('blind/a', file())).thenMatches(
      denied('no_rule', { path: 'blind/a', action: 'move' }),
    );
  });

  it.each(['target', '../other', './a/b', '..', '.'])('a link below free/ may lead to %j', (target) =>
    expectOf([{ ...operation('symlink', 'free/l'), target } as OperationRequest]).thenMatches(
      allowed({ class: 'create' }),
    ),
  );

  it.each([
    ['/etc/passwd', 'is absolute'],
    ['../../etc', 'leads out of the workspace'],
    ['a/../../../x', 'goes up again behind a name'],
    ['./a/../b', 'goes up again behind a name'],
    ['../.retrace/lock', 'leads to no path'],
    ['../.RETRACE/lock', 'guard:protected-domain'],
    ['a\0b', 'leads to no path'],
  ])('a link may not lead to %j: %s', (target, why) =>
    expectOf([{ ...operation('symlink', 'free/l'), target } as OperationRequest]).thenMatches(
      denied('link_refused', { path: 'free/l', action: 'symlink', ...message(why) }),
    ),
  );
});

describe('delete recursive', () => {
  const all = { ...operation('delete', './free/d'), recursive: true } as OperationRequest;
  const d = tree(
    fact('free/d', folder()),
    fact('free/d/a', file('c')),
    fact('free/d/s', folder(0o700)),
    fact('free/d/s/l', { kind: 'link', target: 'x' }),
  );

  it('asks what is reached', () =>
    expectOf([all]).then([{ kind: 'need_trees', reaches: [{ path: 'free/d', deep: true }] }]));

  it('is not looked at where it is refused anyway', () =>
    expectOf([{ ...all, path: 'closed/d' }]).thenMatches(denied('rule_denies')));

  it('removes what lies below first, deepest first, and the folder under the asked id', () =>
    expectOf([all], d).thenMatches(
      allowed(
        {
          request: { action: 'delete', path: 'free/d/s/l', operation_id: partId(op, 'free/d/s/l') },
          canonical: 'free/d/s/l',
          class: 'delete',
          pin: found({ kind: 'link', target: 'x' }),
          part_of: op,
        },
        { request: { action: 'rmdir' }, canonical: 'free/d/s', pin: found(folder(0o700)), part_of: op },
        { request: { action: 'delete' }, canonical: 'free/d/a', pin: found(file('c')), part_of: op },
        { request: all, canonical: 'free/d', pin: found(folder()) },
      ),
    ));

  it('of a file is its removal', () =>
    expectOf([all], look('free/d', file())).thenMatches(allowed({ request: all, pin: any })));

  it('is refused whole by one path in it, which is named', () =>
    expectOf(
      [all],
      tree(fact('free/d', folder()), fact('free/d/.git', folder()), fact('free/d/.git/config', file())),
    ).thenMatches(
      denied('protected_path', { path: 'free/d/.git/config', ...message('reached by delete of "./free/d"') }),
    ));

  it('touches no device, and nothing that cannot be looked at', () => {
    expectOf([all], tree(fact('free/d', folder()), fact('free/d/p', { kind: 'other', type: 'fifo' }))).thenMatches(
      denied('not_a_file', { path: 'free/d/p', ...message('is a fifo') }),
    );
    const problem = { code: 'not_permitted', message: 'may not be read' };
    expectOf([all], tree(fact('free/d', folder()), fact('free/d/p', ABSENT, { problem }))).thenMatches(
      denied('not_permitted', { path: 'free/d/p' }),
    );
  });

  it('reaches what earlier operations of the intent left, and nothing that they took away', () => {
    const more = [
      operation('mkdir', 'free/d', 2),
      operation('create', 'free/d/n', 3),
      operation('delete', 'free/d/a', 4),
    ];
    expectOf([...more, all], d).thenMatches(
      allowed(
        {},
        {},
        {},
        { canonical: 'free/d/n', pin: any, request: { action: 'delete' } },
        { canonical: 'free/d/s/l' },
        { canonical: 'free/d/s' },
        { canonical: 'free/d', pin: found(folder()) },
      ),
    );
  });

  it('asks nothing about what the intent made itself', () => {
    const made = [transfer('move', 'free/x', 'free/d', {}, 2), all];
    expectOf(made, look('free/x', file())).thenMatches(
      allowed({}, { canonical: 'free/d', request: { action: 'delete' } }),
    );
  });
});

describe('a move', () => {
  it('asks what it moves, and for a folder what stands at its new place', () =>
    expectOf([transfer('move', 'free/a', 'free/b')]).then([
      {
        kind: 'need_trees',
        reaches: [
          { path: 'free/a', deep: true },
          { path: 'free/b', deep: false },
        ],
      },
    ]));

  it('of a file is one operation on two paths, each judged', () => {
    const move = transfer('move', 'free/a', 'free//b');
    expectOf([move], look('free/a', file())).thenMatches(
      allowed({
        request: move,
        canonical: 'free/b',
        class: 'create',
        pin: any,
        source: { canonical: 'free/a', class: 'move', pin: found(), decision: { rule: 'free', policy_version: 1 } },
      }),
    );
    expectOf([transfer('move', 'closed/a', 'free/b')]).thenMatches(denied('no_rule', { path: 'closed/a' }));
    expectOf([transfer('move', 'free/a', 'closed/b')], look('free/a', file())).thenMatches(
      denied('rule_denies', { path: 'closed/b' }),
    );
    expectOf([transfer('move', 'free/.git/x', 'free/b')]).thenMatches(denied('protected_path'));
  });

  it('over a file creates or overwrites, as a write does', () => {
    const over = { overwrite: true };
    expectOf([transfer('move', 'free/a', 'free/b', over)], look('free/a', file())).thenMatches(
      allowed({ class: 'overwrite' }),
    );
    expectOf([transfer('move', 'free/a', 'grows/b', over)], look('free/a', file())).thenMatches(
      allowed({ class: 'create', pin: { kind: 'absent', assumed: true } }),
    );
    expectOf([transfer('move', 'free/a', 'fixed/b', over)], look('free/a', file())).then([
      { kind: 'need_facts', paths: ['fixed/b'], follow: false },
    ]);
    expectOf([transfer('move', 'free/a', 'fixed/b')], look('free/a', file())).thenMatches(denied('no_rule'));
  });

  it.each(['free/d', 'free/d/x', 'free/d/x/y'])('of a folder to %s, itself or below, is refused', (to) =>
    expectOf([transfer('move', 'free/d', to)]).thenMatches(denied('into_itself', { path: 'free/d', ...message(to) })),
  );

  const d = tree(
    fact('free/d', folder(0o2750)),
    fact('free/d/f', file('c')),
    fact('free/d/s', folder(0o700)),
    fact('free/d/s/g', file('d')),
  );

  it('of a folder makes the new folders, moves what is in them, and removes the old ones', () => {
    const expected = folder(0o2750);
    const move = transfer('move', './free/d', 'free/./n', { expected });
    expectOf([move], d, look('free/n')).thenMatches(
      allowed(
        {
          request: { action: 'mkdir', operation_id: op, path: 'free/./n', mode: 0o750 },
          canonical: 'free/n',
          class: 'create',
          pin: absent,
          asked: move,
          recorded_as: 'move',
          moved: { from: 'free/d' },
        },
        {
          request: { action: 'mkdir', operation_id: partId(op, 'free/n/s'), mode: 0o700 },
          canonical: 'free/n/s',
          part_of: op,
          moved: { from: 'free/d/s' },
        },
        {
          request: { action: 'move', operation_id: partId(op, 'free/n/f'), path: 'free/d/f', to: 'free/n/f' },
          canonical: 'free/n/f',
          class: 'create',
          source: { canonical: 'free/d/f', class: 'move', pin: found(file('c')) },
          part_of: op,
        },
        { canonical: 'free/n/s/g', source: { canonical: 'free/d/s/g' } },
        {
          request: { action: 'rmdir', operation_id: partId(op, 'free/d/s') },
          canonical: 'free/d/s',
          class: 'move',
          moved: { to: 'free/n/s' },
          part_of: op,
        },
        {
          request: { action: 'rmdir', path: './free/d', expected },
          canonical: 'free/d',
          pin: found(folder(0o2750)),
          moved: { to: 'free/n' },
        },
      ),
    );
  });

  it('of a folder replaces nothing, whatever it says', () => {
    for (const there of [file(), folder()])
      expectOf([transfer('move', 'free/d', 'free/n', { overwrite: true })], d, look('free/n', there)).thenMatches(
        denied('exists', { path: 'free/n' }),
      );
  });

  it('of a folder is refused by what one part may not become, or where it may not come from', () => {
    expectOf([transfer('move', 'free/d', 'fixed/n')], d, look('fixed/n')).thenMatches(
      denied('no_rule', { path: 'fixed/n' }),
    );
    const git = tree(fact('free/d', folder()), fact('free/d/.git', folder()));
    expectOf([transfer('move', 'free/d', 'free/n')], git, look('free/n')).thenMatches(
      denied('protected_path', { path: expect.stringMatching(/\/\.git$/) }),
    );
  });

  it('asks at once for all places of folders that are moved one after another', () => {
    const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => `free/${name}`);
    const chain = names.slice(1).map((to, index) => transfer('move', names[index]!, to, {}, index + 1));
    const reaches = names.map((path, index) => ({ path, deep: index === 0 }));
    expectOf(chain).then([{ kind: 'need_trees', reaches }]);
    const root = tree(fact('free/a', folder()), fact('free/a/f', file()));
    expectOf(chain, root, ...names.slice(1).map((path) => look(path))).thenMatches([{ type: IntentAuthorized.type }]);
  });

  it('of a link moves the link', () =>
    expectOf([transfer('move', 'free/l', 'free/m')], look('free/l', { kind: 'link', target: 'x' })).thenMatches(
      allowed({ canonical: 'free/m', source: { canonical: 'free/l', pin: found({ kind: 'link', target: 'x' }) } }),
    ));

  it('behind a link on the way is judged where that leads', () => {
    const problem = { code: 'link_refused', message: 'a link' };
    const intent = apply([transfer('move', 'way/a', 'free/b')]);
    const trees = treesOf(look('free/b'), { facts: [fact('way/a', ABSENT, { problem })], deep: true, more: false });
    given(ready)
      .when({ intent, findings: trees })
      .then([{ kind: 'need_facts', paths: ['free', 'way'], follow: true }]);
    const facts = (to: string) =>
      factsOf([fact('free', folder()), fact('way', folder(), { canonical: to as never })], true);
    given(ready)
      .when({ intent, findings: { ...trees, ...facts('closed') } })
      .thenMatches(denied('no_rule', { path: 'closed/a' }));
    given(ready)
      .when({ intent, findings: { ...trees, ...facts('free/x') } })
      .then([{ kind: 'need_trees', reaches: [{ path: 'free/x/a', deep: true }] }]);
  });
});

describe('a link that is carried', () => {
  const link = (target: string) => ({ kind: 'link', target }) as const;
  const refused = (path: string, why: string, action = 'move') =>
    denied('link_refused', { path, action, ...message(new RegExp(`which at .* ${why}`)) });
  const from = 'free/a/b/l';

  it.each([
    ['free/l', '../../../closed/x', 'leads out of the workspace'],
    ['free/a/l', '/etc/passwd', 'is absolute'],
    ['free/a/l', '../../.retrace/log', 'belongs to Retrace'],
    ['free/a/l', '../../.RETRACE/log', 'which nothing may open'],
  ])('to %s may not lead from there to %j: %s', (to, target, why) => {
    expectOf([transfer('move', from, to)], look(from, link(target))).thenMatches(refused(from, why));
    expectOf([transfer('copy', from, to, { recursive: true })], look(from, link(target))).thenMatches(
      refused(from, why, 'copy'),
    );
  });

  it('may go to where it leads inside, wherever it led before', () =>
    expectOf([transfer('move', 'free/l', 'free/a/b/l')], look('free/l', link('../../x'))).thenMatches(
      allowed({ canonical: 'free/a/b/l' }),
    ));

  it.each(['move', 'copy'] as const)('is looked at in a folder that is to %s', (action) => {
    const deep = tree(
      fact('free/a/b', folder()),
      fact('free/a/b/s', folder()),
      fact('free/a/b/s/l', link('../../../../x')),
    );
    const to = (path: string) => [transfer(action, 'free/a/b', path, action === 'copy' ? { recursive: true } : {})];
    expectOf(to('free/n'), deep, look('free/n')).thenMatches(refused('free/a/b/s/l', 'leads out', action));
    expectOf(to('free/c/n'), deep, look('free/c/n')).thenMatches([{ type: IntentAuthorized.type }]);
  });

  it('is known where an operation before it made, moved or copied it', () => {
    const made = { ...operation('symlink', 'free/a/l', 1), target: '../../closed/x' } as OperationRequest;
    const copied = transfer('copy', 'free/a/l', 'free/a/m', {}, 2);
    const up = transfer('move', 'free/a/m', 'm', {}, 3);
    given([...ready, published(POLICY.replaceAll("'free/'", "'**'"), 2)])
      .when({ intent: apply([made, copied, up]), findings: treesOf(look('free/a/m')) })
      .thenMatches(refused('free/a/m', 'leads out'));
  });
});

describe('a copy', () => {
  it('of a file asks nothing: reading and what comes are judged', () => {
    expectOf([transfer('copy', 'free/a', 'free/b')]).thenMatches(
      allowed({ canonical: 'free/b', class: 'create', source: { canonical: 'free/a', class: 'read', pin: any } }),
    );
    expectOf([transfer('copy', 'elsewhere', 'free/b')]).thenMatches(denied('no_rule', { path: 'elsewhere' }));
  });

  const d = tree(fact('free/d', folder()), fact('free/d/f', file('c')), fact('free/d/s', folder(0o700)));
  const copy = transfer('copy', 'free/d', 'free/n', { recursive: true });

  it('of a folder makes folders, parents first, and copies what is in them', () =>
    expectOf([copy], d, look('free/n')).thenMatches(
      allowed(
        {
          request: { action: 'mkdir', operation_id: op },
          canonical: 'free/n',
          asked: copy,
          recorded_as: 'copy',
          source: { canonical: 'free/d', class: 'read', pin: found(folder()) },
          pin: absent,
        },
        { request: { action: 'mkdir', mode: 0o700 }, canonical: 'free/n/s', part_of: op },
        {
          request: { action: 'copy', path: 'free/d/f', to: 'free/n/f' },
          canonical: 'free/n/f',
          class: 'create',
          source: { canonical: 'free/d/f', class: 'read', pin: found(file('c')) },
          part_of: op,
        },
      ),
    ));

  it('of a folder below itself is refused, and one that is not as expected', () => {
    expectOf([{ ...copy, to: 'free/d/x' } as OperationRequest]).thenMatches(denied('into_itself'));
    expectOf(
      [transfer('copy', 'free/d', 'free/n', { recursive: true, expected: folder(0o711) })],
      d,
      look('free/n'),
    ).thenMatches(
      denied('expected_mismatch', message(/expected directory \(mode 0711\), found directory \(mode 0755\)/)),
    );
  });
});

describe('mkdir with parents', () => {
  const asked = { ...operation('mkdir', 'free/a/b/c'), parents: true } as OperationRequest;

  it('asks which folders are there', () =>
    expectOf([asked]).then([
      { kind: 'need_trees', reaches: ['free', 'free/a', 'free/a/b'].map((path) => ({ path, deep: false })) },
    ]));

  it('makes what is missing, the asked one last', () =>
    expectOf([asked], look('free', folder()), look('free/a'), look('free/a/b')).thenMatches(
      allowed(
        {
          request: { action: 'mkdir', operation_id: partId(op, 'free/a') },
          canonical: 'free/a',
          pin: absent,
          part_of: op,
        },
        { canonical: 'free/a/b', part_of: op },
        { request: asked, canonical: 'free/a/b/c' },
      ),
    ));

  it('is refused below a file, and where one of them may not be made', () => {
    expectOf([asked], look('free', folder()), look('free/a', file()), look('free/a/b')).thenMatches(
      denied('not_a_folder', { path: 'free/a' }),
    );
    const outside = { ...asked, path: 'free' };
    expectOf([outside]).thenMatches(allowed({ canonical: 'free' }));
  });

  it('knows what earlier operations of the intent made', () =>
    expectOf([
      operation('mkdir', 'free', 2),
      operation('mkdir', 'free/a', 3),
      operation('mkdir', 'free/a/b', 4),
      asked,
    ]).thenMatches(allowed({}, {}, {}, { canonical: 'free/a/b/c' })));
});

describe('what is reached', () => {
  const huge = (count: number) =>
    tree(fact('free/d', folder()), ...Array.from({ length: count }, (_, index) => fact(`free/d/${index}`, file())));
  const all = { ...operation('delete', 'free/d'), recursive: true } as OperationRequest;
  const most = MAX_PATHS_PER_LOGICAL_OPERATION;

  it('is bounded, over all operations of the intent', () => {
    expectOf([all], huge(most)).thenMatches(
      denied('too_many_paths', message(`at least ${most + 1} paths, at most ${most}`)),
    );
    expectOf([operation('mkdir', 'free/x', 2), all], huge(most - 1)).thenMatches(denied('too_many_paths'));
    expectOf([all], { ...huge(3), more: true }).thenMatches(denied('too_many_paths', { path: 'free/d' }));
    expectOf([all], huge(most - 1)).thenMatches([{ type: IntentAuthorized.type }]);
  });

  it('is denied, to be tried again, where work in flight did not end or nobody answers', () => {
    const intent = apply([all]);
    given(ready)
      .when({ intent, findings: { trees: 'busy' } })
      .thenMatches(denied('busy', { retryable: true }));
    given(ready)
      .when({ intent, findings: { trees: 'unavailable' } })
      .thenMatches(denied('workspace_unavailable', { retryable: true }));
  });

  it('spends the ids of all parts', () => {
    const part = { operation_id: partId(op, 'free/d/0'), action: 'mkdir', path: 'free/y' } as OperationRequest;
    given([...ready, authorized(8, [part])])
      .when({ intent: apply([all]), findings: treesOf(huge(1)) })
      .thenMatches(denied('duplicate_operation_id'));
  });
});
