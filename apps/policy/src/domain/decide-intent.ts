import type { Decision, DecisionInput } from './decision-input.js';
import { decideApply } from './decide-apply.js';
import { decideRollback } from './decide-rollback.js';
import { decideSessionComplete, decideSessionOpen } from './decide-session.js';
import { denied } from './decision-events.js';

/**
 * Decides one attempt of one intent: an event, or what must be asked first. Pure; called again with the answers, and
 * every check is then made again on the state of that moment.
 */
export function decideIntent(input: DecisionInput): Decision {
  const { intent, asked, state, findings } = input;
  const { workspace, principal } = asked;
  if (findings.withdrawn)
    return denied(asked, intent, {
      code: 'withdrawn',
      message: `${intent.intent_id} was withdrawn before it was decided`,
    });
  if (!state.registered) {
    const message = `there is no workspace ${workspace}. Operators add one: retrace workspace add DIR --name ${workspace}`;
    return denied(asked, intent, { code: 'unknown_workspace', message });
  }
  if (!state.member) {
    const message = `${principal} is no member of ${workspace}. An operator adds it: retrace agent add ${principal} --workspace ${workspace}`;
    return denied(asked, intent, { code: 'not_a_member', message });
  }
  return decideByType(input);
}

function decideByType(input: DecisionInput): Decision {
  const { intent } = input;
  switch (intent.type) {
    case 'session.open':
      return decideSessionOpen({ ...input, intent });
    case 'session.complete':
      return decideSessionComplete({ ...input, intent });
    case 'operation.apply':
      return decideApply({ ...input, intent });
    case 'rollback':
      return decideRollback({ ...input, intent });
  }
}
