import { defineRoute } from '../define-route.ts';

/** `POST /v1/jobs/:jobId/cancel`: stops the job and refunds images without a result. */
export const cancelJobRoute = defineRoute('cancelJob', async ({ account, params }, services) => {
  const job = await services.jobs.cancel(account.id, params.jobId);
  return services.gateway.billing.seenBy(account, job);
});
