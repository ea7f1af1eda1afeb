// An upload server in a process of its own, so that its memory can be measured.
import { MB, startUploadServer } from './upload-server.ts';

let peakRss = 0;
const server = await startUploadServer({
  limits: { maxFileBytes: 400 * MB, maxFiles: 100, maxRequestBytes: 500 * MB, maxFields: 20, maxFieldBytes: 100_000 },
});
setInterval(() => {
  peakRss = Math.max(peakRss, process.memoryUsage.rss());
}, 20);
process.on('message', async (message) => {
  if (message === 'rss') {
    process.send?.({ rss: process.memoryUsage.rss(), peakRss, left: await server.filesLeft() });
  } else {
    await server.close();
    process.exit(0);
  }
});
process.send?.({ port: server.port });
