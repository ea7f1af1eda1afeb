import { defineRoute } from '../define-route.ts';
import { enterStream } from '../streams/enter-stream.ts';
import { lastEventNumber, sendJobEvents } from '../streams/stream-job.ts';

/** `GET /v1/jobs/:jobId/events`: replays the events after `Last-Event-ID`, then continues live. */
export const followJobRoute = defineRoute('followJob', async ({ ctx, account, params }, services) => {
  const job = await services.jobs.find(account.id, params.jobId);
  const after = lastEventNumber(ctx, job._id);
  if (job.lastEvent !== null && after >= job.lastEvent) {
    ctx.status = 204;
    return;
  }
  if (ctx.method === 'HEAD') {
    // HEAD must not wait for the job.
    ctx.type = 'text/event-stream; charset=utf-8';
    ctx.body = '';
    return;
  }
  enterStream(ctx, account, services);
  await sendJobEvents({ ctx, account }, job, after, services);
});
