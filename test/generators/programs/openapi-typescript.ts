// Uses the types that openapi-typescript generates, with openapi-fetch.
import createClient from 'openapi-fetch';
import type { components, paths } from '../out/openapi-typescript/schema';
import { IMAGE, report, SETTINGS } from './order';

const client = createClient<paths>({
  baseUrl: process.env.IMAGEWRIGHT_URL ?? '',
  headers: { 'X-API-Key': process.env.IMAGEWRIGHT_KEY ?? '' },
});

const uploaded = await client.POST('/v1/sessions', {
  // Types of files are strings to the generator.
  body: { images: [IMAGE as unknown as string] },
  bodySerializer() {
    const form = new FormData();
    form.append('images', IMAGE);
    return form;
  },
});
if (!uploaded.data) throw new Error(uploaded.error.code);
const { sessionId, images } = uploaded.data;
const exported = await client.POST('/v1/sessions/{sessionId}/export', {
  params: { path: { sessionId } },
  body: { images: images.map(({ id }) => ({ id })), settings: SETTINGS },
  parseAs: 'text',
});
if (exported.data === undefined) throw new Error(exported.error.code);
const events = String(exported.data)
  .split('\n')
  .filter((line) => line.startsWith('data: '))
  .map(
    (line) =>
      JSON.parse(line.slice(6)) as components['schemas']['ProgressEvent'] | components['schemas']['CompleteEvent'],
  );
const statuses = events.map(({ status }) => status);
const last = events.at(-1);
if (!last || !('summary' in last)) throw new Error(JSON.stringify(last));
const filename = last.results[0]?.filename ?? '';
const file = await client.GET('/v1/sessions/{sessionId}/download', {
  params: { path: { sessionId }, query: { filename } },
  parseAs: 'blob',
});
if (!file.data) throw new Error(file.error.code);
await report(last.jobId, statuses, file.data as unknown as Blob);
