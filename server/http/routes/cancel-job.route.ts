import { defineRoute } from '../define-route.ts';

/** `POST /v1/jobs/:jobId/cancel`: stops the job and gives back what was not exported. */
export const cancelJobRoute = defineRoute('cancelJob', ({ account, params }, services) =>
  services.jobs.cancel(account.id, params.jobId),
);
