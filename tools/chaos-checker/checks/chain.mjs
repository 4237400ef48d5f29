import { ABSENT, nameState, sameState } from '../states.mjs';

/**
 * From what stood there at first, record by record, to what stands on the disk: each record must begin with what the one
 * before it left, and name the event that left it.
 */
export function checkChain({ events, tree, blob }) {
  const findings = [];
  const found = (kind, text) => findings.push({ kind, text });
  const now = baseline(events, blob, found);
  const recorded = new Map();
  for (const { type, data, sequence } of events) {
    if (type !== 'operation.applied') continue;
    for (const operation of data.operations) {
      const { operation_id } = operation;
      if (recorded.has(operation_id))
        found('doubled', `${operation_id} is recorded at ${recorded.get(operation_id)} and at ${sequence}`);
      recorded.set(operation_id, sequence);
      follow(now, operation, sequence, found);
    }
  }
  compare(now, tree, found);
  return findings;
}

function baseline(events, blob, found) {
  const now = new Map();
  for (const { type, data, sequence } of events) {
    if (type !== 'workspace.baselined') continue;
    const manifest = blob(data.manifest_hash);
    if (!manifest) found('blob', `the manifest of the baseline at ${sequence} cannot be read`);
    else for (const { path, state } of JSON.parse(manifest.toString()).entries) now.set(path, { state, sequence });
  }
  return now;
}

function follow(now, operation, sequence, found) {
  const path = operation.path.canonical;
  const { state_snapshot_before: before, state_snapshot_after: after } = operation;
  const last = now.get(path) ?? { state: ABSENT, sequence: null };
  const who = `${operation.action} ${path} at ${sequence}`;
  if (!sameState(last.state, before.state))
    found('chain', `${who} found ${nameState(before.state)}; ${last.sequence} had left ${nameState(last.state)}`);
  const says = before.sequence === 'self' ? sequence : before.sequence;
  // Nothing there, and nobody who ever recorded it: both are ways to say that there is no event.
  if (says !== null && says !== last.sequence)
    found('chain', `${who} says that ${says} left what it found; it was ${last.sequence}`);
  now.set(path, { state: after.state, sequence });
}

function compare(now, tree, found) {
  for (const [path, { state, sequence }] of now) {
    const there = tree[path] ?? ABSENT;
    if (!sameState(state, there))
      found('disk', `${path}: ${sequence} left ${nameState(state)}; on the disk is ${nameState(there)}`);
  }
  for (const path of Object.keys(tree))
    if (!now.has(path)) found('disk', `${path}: on the disk is ${nameState(tree[path])}; no record knows of it`);
}
