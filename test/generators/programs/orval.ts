// Uses the client that orval generates.
import { createSession, downloadFile, exportImages, followJob, getJob } from '../out/orval/client';
import { IMAGE, report, SETTINGS } from './order';

const options = { headers: { 'X-API-Key': process.env.IMAGEWRIGHT_KEY ?? '' } };

const uploaded = await createSession({ images: [IMAGE] }, options);
if (uploaded.status !== 201) throw new Error(JSON.stringify(uploaded.data));
const { sessionId, images } = uploaded.data;
const exported = await exportImages(
  sessionId,
  { images: images.map(({ id }) => ({ id })), settings: SETTINGS },
  options,
);
const jobId = exported.headers.get('X-Job-Id') ?? '';
const followed = await followJob(jobId, options);
const job = await getJob(jobId, options);
if (job.status !== 200) throw new Error(JSON.stringify(job.data));
const [result] = job.data.results ?? [];
const filename = result && 'filename' in result ? (result.filename ?? '') : '';
const file = await downloadFile(sessionId, { filename }, options);
if (file.status !== 200) throw new Error(JSON.stringify(file.data));
// The client returns a stream as text.
const statuses = [...String(followed.data).matchAll(/"status":"(\w+)"/g)].map(([, status]) => status ?? '');
await report(jobId, [...statuses, job.data.status], file.data as Blob);
