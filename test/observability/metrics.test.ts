import { describe, expect, it } from 'vitest';
import { createMetrics } from '../../server/observability/index.ts';

describe('createMetrics', () => {
  it('counts requests by route, method and status, and measures their time', async () => {
    const metrics = createMetrics();
    metrics.requestFinished({ route: '/v1/jobs/:jobId', method: 'GET', status: 200, seconds: 0.02 });
    metrics.requestFinished({ route: '/v1/jobs/:jobId', method: 'GET', status: 200, seconds: 0.2 });
    const text = await metrics.text();
    expect(text).toContain('imagewright_http_requests_total{route="/v1/jobs/:jobId",method="GET",status="200"} 2');
    expect(text).toContain(
      'imagewright_http_request_duration_seconds_bucket{le="0.025",route="/v1/jobs/:jobId",method="GET"} 1',
    );
  });

  it('counts jobs, images, bytes and credits', async () => {
    const metrics = createMetrics();
    metrics.jobFinished({ kind: 'export', outcome: 'completed', seconds: 3 });
    metrics.imageFinished({ operation: 'export', format: 'webp', outcome: 'completed' });
    metrics.encodeSeconds('webp', 0.3);
    metrics.bytesReceived(1000);
    metrics.bytesSent(200);
    metrics.bytesSent(50);
    metrics.creditsCharged(3);
    metrics.creditsRefunded(1);
    const text = await metrics.text();
    for (const line of [
      'imagewright_jobs_total{kind="export",outcome="completed"} 1',
      'imagewright_images_total{operation="export",format="webp",outcome="completed"} 1',
      'imagewright_encode_seconds_sum{format="webp"} 0.3',
      'imagewright_bytes_in_total 1000',
      'imagewright_bytes_out_total 250',
      'imagewright_credits_total{kind="charged"} 3',
      'imagewright_credits_total{kind="refunded"} 1',
    ]) {
      expect(text.split('\n')).toContain(line);
    }
  });

  it('reads open streams and the queue when it is scraped', async () => {
    const metrics = createMetrics();
    metrics.watchStreams(() => 3);
    const queued = { jobs: 1, encoding: 0, probing: 4 };
    const queue = { queued, busyWorkers: { encoding: 2, probing: 1 }, workers: 2, memoryBytes: 4096 };
    metrics.watchQueue(() => queue);
    queued.jobs = 7;
    const text = await metrics.text();
    expect(text).toMatch(/^imagewright_open_streams 3$/m);
    expect(text).toMatch(/^imagewright_queue_length\{queue="jobs"\} 7$/m);
    expect(text).toMatch(/^imagewright_queue_length\{queue="probing"\} 4$/m);
    expect(text).toMatch(/^imagewright_busy_workers\{queue="encoding"\} 2$/m);
    expect(text).toMatch(/^imagewright_queue_memory_bytes 4096$/m);
  });

  it('includes the process itself, and shares nothing between two instances', async () => {
    const [first, second] = [createMetrics(), createMetrics()];
    first.creditsRefunded(5);
    expect(await first.text()).toMatch(/^process_resident_memory_bytes \d/m);
    expect(await second.text()).not.toContain('kind="refunded"');
    expect(first.contentType).toContain('text/plain');
  });
});
