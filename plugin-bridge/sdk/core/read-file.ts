import { badResponse, readBlob, readJson, type ServiceResponse, toServiceResponse } from './response.ts';
import { createWatch } from './watch.ts';

/** Media type of an answer that names where a file is. */
const ADDRESS = 'application/vnd.imagewright.address+json';

/** Value of `Accept` of a request for a file. */
export const FILE_OR_ADDRESS = `${ADDRESS}, */*`;

/**
 * Reads a file: the response itself, or what it names in the store. That address is fetched once, by the platform's own `fetch`,
 * without key, cookies and other headers, and not followed further.
 */
export async function readFile(
  response: ServiceResponse,
  { endpoint, timeoutMs = 60_000 }: { endpoint: string; timeoutMs?: number | undefined },
  signal?: AbortSignal,
): Promise<Blob> {
  if (!response.headers.get('Content-Type')?.startsWith(ADDRESS)) return readBlob(response);
  const { url } = await readJson<{ url: string }>(response);
  // `fetch` refuses an address with a password.
  if (!(/^https:/.test(endpoint) ? /^https:/ : /^https?:/).test(url)) throw badResponse(response);
  const watch = createWatch(timeoutMs, signal);
  watch.start();
  try {
    const sent = await fetch(url, { redirect: 'error', credentials: 'omit', signal: watch.signal });
    const file = toServiceResponse(sent, watch);
    if (sent.ok) return await readBlob(file);
    throw badResponse(file);
  } catch (error) {
    watch.end(true);
    throw watch.explain(error, 'network');
  }
}
