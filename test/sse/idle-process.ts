// A server in a process of its own whose every request opens a stream and sends nothing but heartbeats.
import { createStreamRegistry } from '../../server/sse/index.ts';
import { startServer } from './stream-server.ts';

const registry = createStreamRegistry({ heartbeatMs: 1_000 });
const { port } = await startServer((res) => {
  registry.open(res, { retryMs: 3000 });
});
process.on('message', (message) => {
  if (message === 'close') registry.closeAll();
  globalThis.gc?.();
  process.send?.({ rss: process.memoryUsage.rss(), cpu: process.cpuUsage(), size: registry.size });
});
process.send?.({ port });
