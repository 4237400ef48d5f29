import type { Decision, DecisionInput } from './decision-input.js';
import { decideApply } from './decide-apply.js';
import { decideAbort, decideCommit, decideOpen } from './decide-open-operation.js';
import { decideRollback } from './decide-rollback.js';
import { decideSessionComplete, decideSessionOpen } from './decide-session.js';
import { denied, type Refusal } from './decision-events.js';

/**
 * Decides one attempt of one intent: an event, or what must be asked first. Pure; called again with the answers, and
 * every check is then made again on the state of that moment. Says on the way where others may run: an intent may reach
 * thousands of paths.
 */
export function* decideIntent(input: DecisionInput): Generator<void, Decision> {
  const { intent, asked } = input;
  const refusal = refusedAtTheDoor(input);
  return refusal ? denied(asked, intent, refusal) : yield* decideByType(input);
}

function refusedAtTheDoor({ intent, asked, state, findings }: DecisionInput): Refusal | undefined {
  const { workspace, principal } = asked;
  if (findings.withdrawn)
    return { code: 'withdrawn', message: `${intent.intent_id} was withdrawn before it was decided` };
  if (!state.registered) {
    const message = `there is no workspace ${workspace}. Operators add one: retrace workspace add DIR --name ${workspace}`;
    return { code: 'unknown_workspace', message };
  }
  if (!state.member) {
    const message = `${principal} is no member of ${workspace}. An operator adds it: retrace agent add ${principal} --workspace ${workspace}`;
    return { code: 'not_a_member', message };
  }
  return undefined;
}

function* decideByType(input: DecisionInput): Generator<void, Decision> {
  const { intent } = input;
  switch (intent.type) {
    case 'session.open':
      return decideSessionOpen({ ...input, intent });
    case 'session.complete':
      return decideSessionComplete({ ...input, intent });
    case 'operation.open':
      return decideOpen({ ...input, intent });
    case 'operation.commit':
      return decideCommit({ ...input, intent });
    case 'operation.abort':
      return decideAbort({ ...input, intent });
    case 'operation.apply':
      return yield* decideApply({ ...input, intent });
    case 'rollback':
      return yield* decideRollback({ ...input, intent });
  }
}
