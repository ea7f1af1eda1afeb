import { fileURLToPath } from 'node:url';
import type { Site } from '../site/site.ts';
import type { SiteUser } from '../site/site-user.ts';

/** Time, queries and memory of a page or route. */
export interface Measured {
  /** Milliseconds until the whole answer was received. */
  p50: number;
  p95: number;
  /** Milliseconds that PHP took, median. */
  php: number;
  /** Milliseconds of the processor that PHP took in 95 of 100 requests, the same on a busy machine. */
  cpu: number;
  /** The largest number of queries. */
  queries: number;
  /** Peak of PHP's memory in MB, compiled code left out. */
  memory: number;
  /** Bytes of the longest answer. */
  bytes: number;
  /** Different statuses of the answers. */
  statuses: number[];
}

/** Adds headers about queries, memory and time to the answers of a site. */
export async function prepareMeasuring(site: Site): Promise<void> {
  await site.addMuPlugin(fileURLToPath(new URL('measure.php', import.meta.url)));
}

/**
 * Requests a path one time after the other, e.g. `/wp-admin/upload.php`, as a logged-in user or a visitor (null), after one request
 * that is not measured. With a body, of a form or else sent as JSON, it posts unless `method` says otherwise. Requires {@link prepareMeasuring}.
 */
export async function measure(
  site: Site,
  user: SiteUser | null,
  path: string,
  options: { times?: number; body?: URLSearchParams | object; method?: string } = {},
): Promise<Measured> {
  const { times = 20, body, method = body ? 'POST' : 'GET' } = options;
  const headers = {
    ...(user ? { Cookie: user.cookie, 'X-WP-Nonce': user.nonce } : {}),
    ...(body && !(body instanceof URLSearchParams) ? { 'Content-Type': 'application/json' } : {}),
  };
  const sent = body && !(body instanceof URLSearchParams) ? JSON.stringify(body) : body;
  const requests: Record<'milliseconds' | 'php' | 'cpu' | 'queries' | 'memory' | 'bytes' | 'status', number>[] = [];
  for (let at = 0; at <= times; at++) {
    const begin = performance.now();
    const answer = await fetch(site.url + path, { method, headers, redirect: 'manual', body: sent });
    const { byteLength: bytes } = await answer.arrayBuffer();
    const milliseconds = performance.now() - begin;
    const header = (name: string) => Number(answer.headers.get(`X-Test-${name}`) ?? Number.NaN);
    const needed = { php: header('Milliseconds'), cpu: header('Cpu'), queries: header('Queries') };
    const memory = header('Memory') / 2 ** 20;
    if (at > 0) requests.push({ milliseconds, bytes, status: answer.status, memory, ...needed });
  }
  const all = (name: keyof (typeof requests)[number]) => requests.map((request) => request[name]);
  return {
    p50: percentile(all('milliseconds'), 0.5),
    p95: percentile(all('milliseconds'), 0.95),
    php: percentile(all('php'), 0.5),
    cpu: percentile(all('cpu'), 0.95),
    queries: Math.max(...all('queries')),
    memory: rounded(Math.max(...all('memory'))),
    bytes: Math.max(...all('bytes')),
    statuses: [...new Set(all('status'))],
  };
}

function percentile(values: number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return rounded(sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN);
}

const rounded = (value: number) => Math.round(value * 10) / 10;
