import { checks, correctCheck } from './checks.job.js';
import { draft } from './draft.job.js';
import type { Job } from './job.js';
import { research } from './research.job.js';
import { review } from './review.job.js';
import { tidying } from './tidying.job.js';
import { trespass } from './trespass.job.js';
import { writing } from './writing.job.js';

export const JOBS = {
  research,
  writing,
  review,
  trespass,
  checks,
  correctCheck,
  tidying,
  draft,
} as const satisfies Record<string, Job>;
export type JobName = keyof typeof JOBS;
