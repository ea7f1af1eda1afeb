import { createHash } from 'node:crypto';
import http, { type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream';
import { refuse } from './answers.ts';

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
  idOf: (user: User) => string | number;
}

/** Creates the forwarder: it sends requests of editors to the service with the site's key. */
export function createForwarder<User>({ service, apiKey, owns, remember, idOf }: ForwardOptions<User>) {
  const { request } = service.startsWith('https:') ? https : http;

  return async (req: IncomingMessage, res: ServerResponse, user: User): Promise<void> => {
    const { method = '', url = '' } = req;
    const [path = ''] = url.split('?');
    const route = ROUTES.find(([methods, form]) => methods.split(' ').includes(method) && form.test(path));
    if (!route) return refuse(res, 404, 'not_found', 'This site does not allow this path of the image service.');
    const { session, job } = route[1].exec(path)?.groups ?? {};
    const owned = job ? await sessionOf(job) : session;
    if ((owned || job) && !(owned && (await owns(user, owned)))) {
      return refuse(res, 404, 'session_not_found', 'No such session, or it has expired.');
    }
    const headers = { ...pick(req.headers, SENT), ...ownKey(user, req.headers), 'x-api-key': apiKey };
    // Without keep-alive: a request on a connection that the service is just closing would fail.
    const outgoing = request(service + url, { method, headers, agent: false });
    let answer: IncomingMessage | undefined;
    outgoing.on('response', (received) => {
      answer = received;
      const created = method === 'POST' && path === '/v1/sessions' && received.statusCode === 201;
      passOn(res, received, created ? user : undefined).catch(() =>
        refuse(res, 502, 'bad_gateway', 'The answer was lost.'),
      );
    });
    outgoing.on('error', () => answer || refuse(res, 502, 'bad_gateway', 'The image service does not answer.'));
    res.on('close', () => outgoing.destroy());
    pipeline(req, outgoing, () => {});
  };

  /** @param creator the user, if the answer names a session that was created */
  async function passOn(res: ServerResponse, answer: IncomingMessage, creator: User | undefined): Promise<void> {
    const { statusCode = 502, headers } = answer;
    if (statusCode === 401) return refuse(res, 502, 'bad_gateway', "The site's key for the image service is wrong.");
    // Stored before the browser knows the id.
    const body = creator === undefined ? undefined : await textOf(answer);
    if (creator !== undefined && body) await remember(creator, (JSON.parse(body) as { sessionId: string }).sessionId);
    res.writeHead(statusCode, pick(headers, RETURNED)).flushHeaders();
    // A stream that breaks off breaks off for the browser too, which then resumes it.
    if (body === undefined) pipeline(answer, res, () => {});
    else res.end(body);
  }

  /** Hashes an idempotency key with its user, so that the equal key of another user does not join this one's session. */
  function ownKey(user: User, headers: IncomingHttpHeaders): Record<string, string> {
    const key = headers['idempotency-key'];
    if (key === undefined) return {};
    const hash = createHash('sha256').update(JSON.stringify([idOf(user), key]));
    return { 'idempotency-key': hash.digest('hex') };
  }

  async function sessionOf(job: string): Promise<string | undefined> {
    const answer = await fetch(`${service}/v1/jobs/${job}`, { headers: { 'X-API-Key': apiKey }, redirect: 'error' });
    return answer.ok ? ((await answer.json()) as { sessionId: string }).sessionId : undefined;
  }
}

function pick(headers: IncomingHttpHeaders, names: string): Record<string, string | string[]> {
  const found = names.split(/\s+/).flatMap((name) => {
    const value = headers[name];
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(found);
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
