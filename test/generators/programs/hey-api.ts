// Uses the client that @hey-api/openapi-ts generates.
import { client } from '../out/hey-api/client.gen';
import { createSession, downloadFile, exportImages } from '../out/hey-api/sdk.gen';
import { IMAGE, report, SETTINGS } from './order';

client.setConfig({ baseUrl: process.env.IMAGEWRIGHT_URL ?? '', auth: () => process.env.IMAGEWRIGHT_KEY });

const { data: uploaded } = await createSession({ body: { images: [IMAGE] }, throwOnError: true });
const { sessionId, images } = uploaded;
const { stream } = await exportImages({
  path: { sessionId },
  body: { images: images.map(({ id }) => ({ id })), settings: SETTINGS },
  sseDefaultRetryDelay: 100,
});
const statuses: string[] = [];
for await (const event of stream) {
  if (typeof event === 'string') continue;
  if ('imageId' in event) statuses.push(event.status);
  if (!('summary' in event)) continue;
  statuses.push(event.status);
  const filename = event.results[0]?.filename ?? '';
  const { data: file } = await downloadFile({ path: { sessionId }, query: { filename }, throwOnError: true });
  await report(event.jobId, statuses, file as Blob);
}
