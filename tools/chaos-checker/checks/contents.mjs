import { sha256 } from '../read-tree.mjs';
import { namedBlobs } from '../read-blobs.mjs';

/** Every text that an agent made has a mark of its own: twice in one file means that something was done twice. */
const MARK = /\[\[[^\]]+\]\]/g;

/** Every blob that an event names can be read and is what its name says; no mark stands twice in a file. */
export function checkContents({ events, blob, unreadable, tree }) {
  const findings = [];
  const bodies = events.map(({ type, data }) => ({ subject: type, body: JSON.stringify(data) }));
  for (const hash of namedBlobs(bodies)) {
    const bytes = blob(hash);
    if (!bytes) findings.push({ kind: 'blob', text: `${hash} cannot be read: ${unreadable[hash] ?? 'not collected'}` });
    else if (sha256(bytes) !== hash) findings.push({ kind: 'blob', text: `${hash} holds other bytes` });
  }
  for (const [path, { kind, hash }] of Object.entries(tree)) {
    const marks = (kind === 'file' && blob(hash)?.toString().match(MARK)) || [];
    const twice = marks.find((mark, i) => marks.indexOf(mark) !== i);
    if (twice) findings.push({ kind: 'doubled', text: `${path} holds ${twice} twice` });
  }
  return findings;
}
