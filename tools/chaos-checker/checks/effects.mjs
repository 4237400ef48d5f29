import { nameOf } from '../intents.mjs';

/** What was applied must be what was asked: the operations in their order, and what each of them does to its path. */
export function checkEffects({ blob }, intents) {
  return [...intents.values()].flatMap((intent) => {
    const applied = intent.ends.find(({ as }) => as === 'applied');
    if (!applied || intent.asked?.kind !== 'apply') return [];
    const found = (text) => ({ kind: 'effect', text: `${nameOf(intent)} at ${applied.event.sequence}: ${text}` });
    const asked = intent.asked.operations;
    const records = applied.event.data.operations.filter(({ part_of }) => part_of === null);
    return asked.flatMap((one) => {
      const at = records.findIndex(
        ({ path, action }) => action === one.action && path.canonical === (one.to ?? one.path),
      );
      // Two of the same kind at one path are recorded in their order.
      const [record] = at < 0 ? [] : records.splice(at, 1);
      if (!record) return [found(`no record of ${one.action} ${one.path}`)];
      const wrong = wrongEffect(one, record, blob);
      return wrong === undefined ? [] : [found(wrong)];
    });
  });
}

/** Says what is wrong with an effect; `undefined` where it is as asked. */
function wrongEffect(asked, record, blob) {
  const before = record.state_snapshot_before.state;
  const after = record.state_snapshot_after.state;
  const text = ({ hash }) => (hash === undefined ? '' : blob(hash)?.toString());
  switch (asked.action) {
    case 'create':
    case 'write':
      return after.hash === asked.hash ? undefined : `${asked.path} has other bytes than asked for`;
    case 'append':
      return text(after) === text(before) + asked.text
        ? undefined
        : `what was there, and the text, is not what came of it`;
    case 'edit':
      return text(after) === text(before)?.replace(asked.old, () => asked.new) ? undefined : `not the edit asked for`;
    case 'chmod':
      return after.mode === asked.mode && after.hash === before.hash ? undefined : `not the mode asked for`;
    case 'delete':
    case 'rmdir':
      return after.kind === 'absent' ? undefined : `${asked.path} is not gone`;
    case 'mkdir':
      return after.kind === 'directory' ? undefined : `${asked.path} is no folder`;
    case 'symlink':
      return after.target === asked.target ? undefined : `${asked.path} is not the link asked for`;
    default:
      return after.kind === 'absent' ? `${asked.to} is not there` : undefined;
  }
}
