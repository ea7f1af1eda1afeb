import { defineRoute } from '../define-route.ts';

/** `GET /v1/jobs/:jobId`: state and results. */
export const getJobRoute = defineRoute('getJob', async ({ account, params }, services) => {
  const job = await services.jobs.show(account.id, params.jobId);
  return services.gateway.billing.seenBy(account, job);
});
