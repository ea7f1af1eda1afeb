import { createHash } from 'node:crypto';
import http from 'node:http';
import https from 'node:https';
import { pipeline } from 'node:stream';

/** Methods and paths that editors may use. Anything else is refused; the service's other routes need no proxy. */
const ROUTES = /** @type {const} */ ([
  ['POST', /^\/v1\/(sessions|credits\/check)$/],
  ['GET', /^\/v1\/(credits\/balance|limits)$/],
  ['GET DELETE', /^\/v1\/sessions\/(?<session>sess_[0-9A-Za-z]{22})$/],
  ['GET', /^\/v1\/sessions\/(?<session>sess_[0-9A-Za-z]{22})(\/analysis|(-sample)?\/download)$/],
  ['POST', /^\/v1\/sessions\/(?<session>sess_[0-9A-Za-z]{22})\/(images|analyze|export|sample)$/],
  ['PATCH', /^\/v1\/sessions\/(?<session>sess_[0-9A-Za-z]{22})\/images\/img_[0-9A-Za-z]{22}$/],
  ['GET', /^\/v1\/sessions\/(?<session>sess_[0-9A-Za-z]{22})\/images\/img_[0-9A-Za-z]{22}\/preview$/],
  ['GET', /^\/v1\/jobs\/(?<job>job_[0-9A-Za-z]{22})(\/events)?$/],
  ['POST', /^\/v1\/jobs\/(?<job>job_[0-9A-Za-z]{22})\/cancel$/],
]);
const SENT = `accept content-type content-length idempotency-key last-event-id range if-range if-match if-none-match`;
const RETURNED = `content-type content-length content-disposition content-range content-security-policy accept-ranges
  cache-control etag ratelimit ratelimit-policy retry-after x-accel-buffering x-content-type-options x-job-id x-request-id`;

/**
 * Makes the handler that forwards the requests of editors to the service with the site's key.
 * @param {object} options
 * @param {string} options.service Address of the service, e.g. `http://127.0.0.1:8080`.
 * @param {string} options.apiKey The site's key.
 * @param {(req: import('express').Request) => unknown} options.userOf Returns the user who may edit media and whose CSRF token
 *   is right; null for all others. May be async, as the other two.
 * @param {(user: any, sessionId: string) => unknown} options.owns Returns true if the user has created this session.
 * @param {(user: any, sessionId: string) => unknown} options.remember Stores that the user has created this session.
 * @param {(user: any) => string | number} [options.idOf] Returns what tells users apart. Default: the user's `id`, or the user itself
 *   where that is a text or a number.
 * @returns {(req: import('express').Request, res: import('express').Response) => Promise<unknown>}
 */
export function imagewrightProxy({ service, apiKey, userOf, owns, remember, idOf = (user) => user.id ?? user }) {
  const { request } = service.startsWith('https:') ? https : http;

  return async (req, res) => {
    const [path = ''] = req.url.split('?');
    const user = await userOf(req);
    if (!user) return refuse(res, 401, 'not_logged_in', 'Log in as a user who may edit media.');
    const route = ROUTES.find(([methods, form]) => methods.split(' ').includes(req.method) && form.test(path));
    if (!route) return refuse(res, 404, 'not_found', 'This site does not allow this path of the image service.');
    const { session, job } = route[1].exec(path)?.groups ?? {};
    const owned = job ? await sessionOf(job) : session;
    if ((owned || job) && !(owned && (await owns(user, owned)))) {
      return refuse(res, 404, 'session_not_found', 'No such session, or it has expired.');
    }
    const headers = { ...pick(req.headers, SENT), ...ownKey(user, req.headers), 'x-api-key': apiKey };
    // Without keep-alive: a request on a connection that the service is just closing would fail.
    const outgoing = request(service + req.url, { method: req.method, headers, agent: false });
    /** @type {import('node:http').IncomingMessage | undefined} */
    let answer;
    outgoing.on('response', async (received) => {
      answer = received;
      await passOn(req, res, answer, user).catch(() => refuse(res, 502, 'bad_gateway', 'The answer was lost.'));
    });
    outgoing.on('error', () => answer || refuse(res, 502, 'bad_gateway', 'The image service does not answer.'));
    res.on('close', () => outgoing.destroy());
    pipeline(req, outgoing, () => {});
  };

  /**
   * @param {import('express').Request} req
   * @param {import('express').Response} res
   * @param {import('node:http').IncomingMessage} answer
   * @param {unknown} user
   */
  async function passOn(req, res, answer, user) {
    const { statusCode = 502, headers } = answer;
    if (statusCode === 401) return refuse(res, 502, 'bad_gateway', "The site's key for the image service is wrong.");
    const created = req.method === 'POST' && req.path === '/v1/sessions' && statusCode === 201;
    // Stored before the browser knows the id.
    const body = created ? await textOf(answer) : undefined;
    if (body) await remember(user, JSON.parse(body).sessionId);
    res.writeHead(statusCode, pick(headers, RETURNED)).flushHeaders();
    // A stream that breaks off breaks off for the browser too, which then resumes it.
    if (body === undefined) pipeline(answer, res, () => {});
    else res.end(body);
  }

  /**
   * Makes the idempotency key of a user: another user's equal key must not be answered with this one's session.
   * @param {unknown} user
   * @param {import('node:http').IncomingHttpHeaders} headers
   */
  function ownKey(user, headers) {
    const key = headers['idempotency-key'];
    if (key === undefined) return {};
    const id = idOf(user);
    if (!['string', 'number'].includes(typeof id)) throw new TypeError('idOf: expected a text or a number');
    return {
      'idempotency-key': createHash('sha256')
        .update(JSON.stringify([id, key]))
        .digest('hex'),
    };
  }

  /** @param {string} job @returns {Promise<string | undefined>} */
  async function sessionOf(job) {
    const answer = await fetch(`${service}/v1/jobs/${job}`, { headers: { 'X-API-Key': apiKey } });
    return answer.ok ? (await answer.json()).sessionId : undefined;
  }
}

/** @param {import('node:http').IncomingHttpHeaders} headers @param {string} names */
function pick(headers, names) {
  return Object.fromEntries(names.split(/\s+/).flatMap((name) => (headers[name] ? [[name, headers[name]]] : [])));
}

/** @param {import('node:http').IncomingMessage} answer */
async function textOf(answer) {
  const chunks = [];
  for await (const chunk of answer) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
}

/** @param {import('express').Response} res @param {number} status @param {string} code @param {string} error */
function refuse(res, status, code, error) {
  if (res.headersSent) res.destroy();
  else res.status(status).json({ error, code });
}
