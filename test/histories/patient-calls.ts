import { setTimeout as sleep } from 'node:timers/promises';
import type { ApiClient } from '../support/api-client.ts';

/** An answer that was read to its end. */
export interface Answer {
  status: number;
  headers: Headers;
  bytes: Buffer;
  /** True if an earlier attempt was sent whose answer never came: it may have been done. */
  isRepeated: boolean;
}

/** A request as `fetch` takes it; `form` makes a body for each attempt. */
export interface Request {
  method?: string;
  json?: unknown;
  form?: () => Promise<FormData>;
  headers?: Record<string, string>;
}

const RETRY_MS = 100;
/** Longest time until a call is answered, in milliseconds. */
const PATIENCE_MS = 180_000;

/** Sends a call until it is answered, as a client does whose server comes back. @throws Error after three minutes */
export async function call(api: ApiClient, path: string, request: Request = {}): Promise<Answer> {
  const opened = await openCall(api, path, request, async (response) => Buffer.from(await response.arrayBuffer()));
  const { response, read: bytes, isRepeated } = opened;
  return { status: response.status, headers: response.headers, bytes, isRepeated };
}

/** Sends a call until it is answered and the answer was read. What breaks while it is read is sent again. */
export async function openCall<Read>(
  api: ApiClient,
  path: string,
  { method, json, form, headers = {} }: Request,
  read: (response: Response) => Promise<Read>,
): Promise<{ response: Response; read: Read; isRepeated: boolean }> {
  const givesUpAt = performance.now() + PATIENCE_MS;
  let last = 'no answer';
  for (let isRepeated = false; ; isRepeated = true) {
    const body = form && { body: await form() };
    const sent = { method: method ?? (form || json !== undefined ? 'POST' : 'GET'), headers, ...body };
    const response = await api.request(path, json === undefined ? sent : { ...sent, json }).catch(() => null);
    if (response && !(await mayComeLater(response))) {
      try {
        return { response, read: await read(response), isRepeated };
      } catch (error) {
        if (!isBroken(error)) throw error;
      }
    }
    if (response) last = String(response.status);
    if (performance.now() > givesUpAt) throw new Error(`${path}: not answered within 180 s, last: ${last}`);
    await sleep(RETRY_MS);
  }
}

/** Returns true for an answer after which a client sends its request again. */
async function mayComeLater(response: Response): Promise<boolean> {
  if (response.status === 503) return true;
  if (response.status !== 409) return false;
  const text = await response
    .clone()
    .text()
    .catch(() => 'idempotency_in_progress');
  return text.includes('idempotency_in_progress');
}

/** Returns true for the error of a connection that was cut. */
function isBroken(error: unknown): boolean {
  return error instanceof TypeError || (error instanceof Error && /terminated|aborted|socket/i.test(error.message));
}

/** Returns the body of an answer. @throws Error if its status is none of those that were expected */
export function bodyOf<Body>(what: string, answer: Answer, ...expected: number[]): Body {
  const text = answer.bytes.toString();
  if (!expected.includes(answer.status))
    throw new Error(`${what}: expected ${expected.join(' or ')}, but received ${answer.status} ${text.slice(0, 300)}`);
  return (text === '' ? null : JSON.parse(text)) as Body;
}
