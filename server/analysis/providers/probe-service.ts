import { connect } from 'node:net';
import type { ProviderSettings } from '../config.ts';
import type { Probe } from '../vision-provider.ts';

/** Longest wait for one answer, in milliseconds. */
const LIMIT_MS = 3000;

/** Tests if a service is there, without asking the model; null: its answer tells nothing. Never rejects. */
export async function probeService(
  { baseUrl }: Pick<ProviderSettings, 'baseUrl'>,
  how: Probe,
  signal: AbortSignal,
): Promise<boolean | null> {
  if (baseUrl === undefined) return null;
  return how === 'connect' ? accepts(new URL(baseUrl), signal) : isHealthy(new URL('/health', baseUrl), signal);
}

function accepts({ hostname, port, protocol }: URL, signal: AbortSignal): Promise<boolean> {
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve) => {
    const socket = connect({ host, port: Number(port) || (protocol === 'https:' ? 443 : 80), timeout: LIMIT_MS });
    const end = (isThere: boolean) => () => {
      signal.removeEventListener('abort', stop);
      socket.destroy();
      resolve(isThere);
    };
    const stop = end(false);
    signal.addEventListener('abort', stop, { once: true });
    socket.once('connect', end(true)).once('error', stop).once('timeout', stop);
  });
}

/** Asks as llama.cpp and vLLM document it: 503 while the model loads, then 200. */
async function isHealthy(address: URL, signal: AbortSignal): Promise<boolean | null> {
  try {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(LIMIT_MS)]);
    const response = await fetch(address, { redirect: 'error', signal: limited });
    await response.body?.cancel();
    if (response.status === 503) return false;
    return response.ok ? true : null;
  } catch {
    return false;
  }
}
