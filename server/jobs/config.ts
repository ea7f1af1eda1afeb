import { z } from 'zod';
import { integerText } from '#contract';

/** Role of a server: everything, HTTP without jobs, or jobs without HTTP. */
const ROLES = ['all', 'api', 'worker'] as const;

/** The environment variables that steer jobs; keys are the variables' names. */
export const jobsConfig = z.object({
  ROLE: z
    .enum(ROLES)
    .default('all')
    .describe(
      'Work of this server, with `MONGODB_URI`. `api`: HTTP with uploads and previews; jobs go to workers. `worker`: jobs; of HTTP only `/healthz`, `/readyz` and `/metrics`.',
    ),
  MAX_QUEUED_IMAGES: integerText(1, 1_000_000)
    .default(2000)
    .describe(
      'Images that may wait for work, over all jobs, before new jobs get a 503. At most half of them is free work, half is of one account, and a twentieth is free work of one account.',
    ),
  LEASE_SECONDS: integerText(3, 600)
    .default(10)
    .describe('Seconds after which a job of a server that no longer answers may be taken over by another.'),
  RESUME_MINUTES: integerText(0, 1440)
    .default(10)
    .describe('Age up to which an interrupted job is resumed; an older one is ended and refunded.'),
});

/** The job settings after parsing. */
export type JobsConfig = z.output<typeof jobsConfig>;
