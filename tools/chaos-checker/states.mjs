export const ABSENT = { kind: 'absent' };

/** The same kind, bytes and mode, or link target. */
export const sameState = (a, b) =>
  a.kind === b.kind && a.hash === b.hash && a.mode === b.mode && a.target === b.target && a.size === b.size;

export const nameState = ({ kind, hash, mode, target, size }) => {
  if (kind === 'file') return `file ${hash.slice(0, 12)} ${size} bytes ${mode.toString(8)}`;
  if (kind === 'directory') return `directory ${mode.toString(8)}`;
  return kind === 'link' ? `link to ${target}` : kind;
};
