import { IntentDeniedError } from '@retrace/client';
import { textFor } from '../texts.js';
import type { Job } from './job.js';

/** Succeeds only by being denied: prints the rule that did it. */
export const trespass: Job = {
  agent: 'researcher',
  task: 'Look beyond its scope',
  async run({ session, targets }) {
    const path = targets.overwrite[0] ?? 'elsewhere.md';
    try {
      await session.write(path, textFor('researcher', path), { reason: 'out of curiosity' });
    } catch (error) {
      if (!(error instanceof IntentDeniedError)) throw error;
      const { code, rule, message } = error;
      process.stdout.write(`${JSON.stringify({ denied: { code, rule, message, path } })}\n`);
      return;
    }
    throw new Error(`${path} was written, and should not have been`);
  },
};
