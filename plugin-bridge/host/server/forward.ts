import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http, {
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type RequestOptions,
  type ServerResponse,
} from 'node:http';
import https from 'node:https';
import { pipeline, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ReadableStream } from 'node:stream/web';
import { FILE_OR_ADDRESS } from '#contract/constants';
import { refuse } from './answers.ts';
import { fetchAddress, isAddress } from './fetch-file.ts';

const SESSION = '(?<session>sess_[0-9A-Za-z]{22})';
const IMAGE = 'img_[0-9A-Za-z]{22}';
const JOB = '(?<job>job_[0-9A-Za-z]{22})';
/** Methods and paths that editors may use. Anything else is refused; the service's other routes need no proxy. */
const ROUTES: readonly (readonly [methods: string, path: RegExp])[] = [
  ['POST', /^\/v1\/(sessions|credits\/check)$/],
  ['GET', /^\/v1\/(credits\/balance|limits)$/],
  ['GET DELETE', new RegExp(`^/v1/sessions/${SESSION}$`)],
  ['GET', new RegExp(`^/v1/sessions/${SESSION}(/analysis|(-sample)?/download)$`)],
  ['POST', new RegExp(`^/v1/sessions/${SESSION}/(images|analyze|export|sample)$`)],
  ['PATCH', new RegExp(`^/v1/sessions/${SESSION}/images/${IMAGE}$`)],
  ['GET', new RegExp(`^/v1/sessions/${SESSION}/images/${IMAGE}/preview$`)],
  ['GET', new RegExp(`^/v1/jobs/${JOB}(/events)?$`)],
  ['POST', new RegExp(`^/v1/jobs/${JOB}/cancel$`)],
];
const SENT = `accept content-type content-length idempotency-key last-event-id range if-range if-match if-none-match`;
const RETURNED = `content-type content-length content-disposition content-range content-security-policy accept-ranges
  cache-control etag ratelimit ratelimit-policy retry-after x-accel-buffering x-content-type-options x-job-id x-request-id`;

/** Headers of a file that the service would send, and the store does not. */
const PROTECTION = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cache-control': 'private, no-cache',
};

/** The service, and whose sessions are whose. */
export interface ForwardOptions<User> {
  /** Address of the service, e.g. `http://127.0.0.1:8080`. */
  service: string;
  /** The site's key. */
  apiKey: string;
  /** Returns true if the user has created this session. */
  owns: (user: User, sessionId: string) => unknown;
  /** Stores that the user has created this session. */
  remember: (user: User, sessionId: string) => unknown;
  /** Returns the id of a user. */
  idOf: (user: User) => string | number | Promise<string | number>;
}

/**
 * Creates the forwarder: it sends requests of editors to the service with the site's key. Errors of the service are passed on with status,
 * body and `Retry-After`, but 401 becomes 424; a service that does not answer is a 502, which clients repeat.
 * @throws any error of `owns`, `remember` and `idOf`
 */
export function createForwarder<User>({ service, apiKey, owns, remember, idOf }: ForwardOptions<User>) {
  const { request } = service.startsWith('https:') ? https : http;

  return async (req: IncomingMessage, res: ServerResponse, user: User): Promise<void> => {
    const { method = '', url = '' } = req;
    const [path = ''] = url.split('?');
    const route = ROUTES.find(([methods, form]) => methods.split(' ').includes(method) && form.test(path));
    if (!route) return refuse(res, 404, 'not_found', 'This site does not allow this path of the image service.');
    const { session, job } = route[1].exec(path)?.groups ?? {};
    if (session && !(await owns(user, session))) {
      return refuse(res, 404, 'session_not_found', 'No such session, or it has expired.');
    }
    if (job && !(await isOwnJob(res, user, job))) return;
    const asked = { ...pick(req.headers, SENT), ...(await ownKey(user, req.headers)) };
    // The page's browser may not reach the store, or may not read its answers.
    const headers = /\/download$/.test(path) ? { ...asked, accept: FILE_OR_ADDRESS } : asked;
    const outgoing = open(res, url, { method, headers });
    // Not `pipeline`, which would close the browser's connection before it has the answer; the rest of the body is read and dropped.
    req.pipe(outgoing).on('error', () => req.resume());
    const answer = await answerTo(outgoing);
    if (!answer) return refuseAway(res);
    if (isAddress(answer.headers['content-type'])) return sendFromStore(service, { req, res, answer });
    const created = method === 'POST' && path === '/v1/sessions' && answer.statusCode === 201;
    const body = created ? await bodyOf(answer) : undefined;
    if (created) {
      const sessionId = fieldOf(body, 'sessionId');
      if (!sessionId) return refuseAway(res);
      // Stored before the browser knows the id.
      await remember(user, sessionId);
    }
    passOn(res, answer, body);
  };

  /** Opens a request to the service, which is given up when the browser leaves. */
  function open(res: ServerResponse, path: string, { method, headers = {} }: RequestOptions): ClientRequest {
    // Without keep-alive: a request on a connection that the service is just closing would fail.
    const outgoing = request(service + path, { method, headers: { ...headers, 'x-api-key': apiKey }, agent: false });
    // Also emitted when nobody waits for the answer any more.
    outgoing.on('error', () => {});
    res.on('close', () => outgoing.destroy());
    return outgoing;
  }

  /** Returns true if the user has created the session of a job; otherwise answers that there is no such job, or why it is not known. */
  async function isOwnJob(res: ServerResponse, user: User, job: string): Promise<boolean> {
    const answer = await answerTo(open(res, `/v1/jobs/${job}`, { method: 'GET' }).end());
    const body = answer && (await bodyOf(answer));
    const session = answer?.statusCode === 200 ? fieldOf(body, 'sessionId') : undefined;
    if (session && (await owns(user, session))) return true;
    // A 404 without this code comes from a gateway and says nothing of the job.
    const isUnknown = answer?.statusCode === 404 && fieldOf(body, 'code') === 'job_not_found';
    if (session || isUnknown) refuse(res, 404, 'job_not_found', 'No such job.');
    else if (!answer || !body || answer.statusCode === 200) refuseAway(res);
    else passOn(res, answer, body);
    return false;
  }

  /** Hashes an idempotency key with its user, so that the equal key of another user does not join this one's session. */
  async function ownKey(user: User, headers: IncomingHttpHeaders): Promise<Record<string, string>> {
    const key = headers['idempotency-key'];
    if (key === undefined) return {};
    const hash = createHash('sha256').update(JSON.stringify([await idOf(user), key]));
    return { 'idempotency-key': hash.digest('hex') };
  }
}

interface Named {
  req: IncomingMessage;
  res: ServerResponse;
  /** Answer of the service, which names where the file is. */
  answer: IncomingMessage;
}

/** Sends a file from the store that the service has named. */
async function sendFromStore(service: string, { req, res, answer }: Named): Promise<void> {
  const left = new AbortController();
  res.on('close', () => left.abort());
  const url = fieldOf(await bodyOf(answer), 'url');
  const headers = pick(req.headers, 'range if-range') as Record<string, string>;
  const file = await fetchAddress({ url }, service, { headers, signal: left.signal }).catch(() => null);
  if (!file?.ok && file?.status !== 416) return refuseAway(res);
  res.writeHead(file.status, { ...pick(Object.fromEntries(file.headers), RETURNED), ...PROTECTION }).flushHeaders();
  pipeline(Readable.fromWeb(file.body as ReadableStream), res, () => {});
}

/** Waits for the head of an answer; undefined if none comes. */
async function answerTo(outgoing: ClientRequest): Promise<IncomingMessage | undefined> {
  return once(outgoing, 'response').then(
    ([answer]) => answer as IncomingMessage,
    () => undefined,
  );
}

/** Reads a whole body; undefined if it breaks off. */
async function bodyOf(answer: IncomingMessage): Promise<Buffer | undefined> {
  return buffer(answer).catch(() => undefined);
}

/** Returns a text of a body in JSON; undefined if it has none, or is something else. */
function fieldOf(body: Buffer | undefined, name: string): string | undefined {
  try {
    const value = (JSON.parse(String(body)) as Record<string, unknown> | null)?.[name];
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

function refuseAway(res: ServerResponse): void {
  refuse(res, 502, 'bad_gateway', 'The image service does not answer.');
}

/** Passes an answer on; `body` if it was read before. */
function passOn(res: ServerResponse, answer: IncomingMessage, body: Buffer | undefined): void {
  const { statusCode = 502, headers } = answer;
  if (statusCode === 401) {
    // Not 502, which is repeated, nor 401, which would be the visitor's own login.
    refuse(res, 424, 'invalid_api_key', "The site's key for the image service is wrong.");
    return;
  }
  res.writeHead(statusCode, pick(headers, RETURNED)).flushHeaders();
  // A stream that breaks off breaks off for the browser too, which then resumes it.
  if (body === undefined) pipeline(answer, res, () => {});
  else res.end(body);
}

function pick(headers: IncomingHttpHeaders, names: string): Record<string, string | string[]> {
  const found = names.split(/\s+/).flatMap((name) => {
    const value = headers[name];
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}
