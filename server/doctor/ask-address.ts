import { describeNetworkFailure, type NetworkFailure } from './network-failure.ts';
import { PROOF_HEADER, PROOF_PATH, type Prover } from './prove-installation.ts';

/** An address of documentation (RFC 5737), which no client has: who takes it for the client believes what clients say. */
export const INVENTED_ADDRESS = '192.0.2.77';
/** Shortest gap at the reader that shows a stream that is not held back, in milliseconds. */
const SEEN_GAP_MS = 400;
/** Longest body that is read. */
const MAX_BYTES = 20_000;

/** The request for a proof as the service has seen it. */
export interface SeenRequest {
  /** Proves that the server belongs to the installation. */
  proof: string;
  version: string;
  protocol: string;
  host: string;
  /** Address that the service takes for the client's. */
  client: string;
  /** Addresses of `X-Forwarded-For`. */
  forwardedFor: string[];
  /** Value of `TRUST_PROXY`. */
  trusted: number;
}

/** Answer of an address. */
export type AddressAnswer =
  | { kind: 'this'; seen: SeenRequest; isHeldBack: boolean }
  /** A service of the same kind that does not know the secret. */
  | { kind: 'another' }
  /** A service of the same kind that starts, stops, or waits for its database. */
  | { kind: 'busy'; status: number }
  | { kind: 'redirect' | 'foreign'; status: number }
  | { kind: 'unreachable'; failure: NetworkFailure };

/** Asks at a base URL for the proof that this installation answers there. Never rejects. */
export async function askAddress(base: string, prover: Prover, signal: AbortSignal): Promise<AddressAnswer> {
  const { question, answer } = prover.ask();
  const headers = {
    [PROOF_HEADER]: question,
    'X-Forwarded-For': INVENTED_ADDRESS,
    Accept: 'text/event-stream',
  };
  try {
    const response = await fetch(`${base}${PROOF_PATH}`, { headers, redirect: 'manual', signal });
    const { status } = response;
    if (status >= 300 && status < 400) return { kind: 'redirect', status };
    if (!response.ok) {
      if (!isOurs(await readTimed(response))) return { kind: 'foreign', status };
      return status >= 500 ? { kind: 'busy', status } : { kind: 'another' };
    }
    const read = await readTimed(response);
    const seen = parse(read.text);
    if (!seen) return { kind: 'foreign', status };
    if (seen.proof !== answer) return { kind: 'another' };
    return { kind: 'this', seen, isHeldBack: read.endedAt - read.firstAt < SEEN_GAP_MS };
  } catch (error) {
    return { kind: 'unreachable', failure: describeNetworkFailure(error) };
  }
}

interface Read {
  text: string;
  /** When the first event was there, and when the body ended; monotonic, in milliseconds. */
  firstAt: number;
  endedAt: number;
}

async function readTimed(response: Response): Promise<Read> {
  const decoder = new TextDecoder();
  let text = '';
  let firstAt: number | null = null;
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk as Uint8Array, { stream: true });
    if (text.includes('\ndata: ')) firstAt ??= performance.now();
    if (text.length > MAX_BYTES) break;
  }
  const endedAt = performance.now();
  return { text, firstAt: firstAt ?? endedAt, endedAt };
}

/** Recognises an error of this service, which has a code and the id of its request. */
function isOurs({ text }: Read): boolean {
  try {
    const { code, requestId } = JSON.parse(text) as Record<string, unknown>;
    return typeof code === 'string' && /^req_/.test(String(requestId));
  } catch {
    return false;
  }
}

function parse(text: string): SeenRequest | null {
  const [, data = ''] = /^data: (.*)$/m.exec(text) ?? [];
  try {
    const { proof, version, protocol, host, client, forwardedFor, trusted } = JSON.parse(data) as SeenRequest;
    const isWhole = [proof, version, protocol, host, client].every((value) => typeof value === 'string');
    return isWhole && Array.isArray(forwardedFor)
      ? { proof, version, protocol, host, client, forwardedFor: forwardedFor.map(String), trusted: Number(trusted) }
      : null;
  } catch {
    return null;
  }
}
