import { checkChain } from './checks/chain.mjs';
import { checkContents } from './checks/contents.mjs';
import { checkEffects } from './checks/effects.mjs';
import { checkEnds } from './checks/ends.mjs';
import { checkLeftovers } from './checks/leftovers.mjs';
import { checkOrder } from './checks/order.mjs';
import { checkTold } from './checks/told.mjs';
import { figuresOf } from './figures.mjs';
import { readIntents } from './intents.mjs';

/** Every finding is `{ kind, text }`; none means that what was acknowledged is there, once, and in order. */
export function check(evidence) {
  const intents = readIntents(evidence);
  const findings = [
    ...checkTold(evidence, intents),
    ...checkEnds(evidence, intents),
    ...checkEffects(evidence, intents),
    ...checkOrder(evidence, intents),
    ...checkChain(evidence),
    ...checkContents(evidence),
    ...checkLeftovers(evidence),
  ];
  return { findings, figures: figuresOf(evidence, intents) };
}
