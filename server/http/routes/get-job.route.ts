import { defineRoute } from '../define-route.ts';

/** `GET /v1/jobs/:jobId`: state and results. */
export const getJobRoute = defineRoute('getJob', ({ account, params }, services) =>
  services.jobs.show(account.id, params.jobId),
);
