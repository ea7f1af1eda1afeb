import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { CmsHost } from '../cms-host.ts';
import { HostError } from '../host-error.ts';
import { answerHostCall, type Download } from './answer-host-calls.ts';
import { refuse } from './answers.ts';
import { fetchFile } from './fetch-file.ts';
import { createForwarder, type ForwardOptions } from './forward.ts';

/** Addresses of results, which this server downloads. */
const RESULT = /^\/v1\/sessions\/sess_[0-9A-Za-z]{22}\/download\?filename=[^&#]+$/;
/** Sessions that are kept in memory if no table is given. */
const MOST_SESSIONS = 10_000;

/** Options of {@link imagewright}. */
export interface ImagewrightOptions<Request extends IncomingMessage, User>
  extends Pick<ForwardOptions<User>, 'service' | 'apiKey'>,
    Partial<Pick<ForwardOptions<User>, 'owns' | 'remember' | 'idOf'>> {
  /** Returns the user who may edit media; null for all others. May be async, as all of these. */
  userOf: (req: Request) => User | null | undefined | false | Promise<User | null | undefined | false>;
  /** The images of the CMS, for `createRemoteHost`. Missing: requests to the service are forwarded, and nothing else. */
  host?: CmsHost | undefined;
}

/**
 * Creates the middleware for a page with the element: it forwards `/v1/…` to the service with the site's key, for users who may edit
 * media and for no page of another site, and answers `/media/…` for `createRemoteHost`. For Express, Connect and other routers that strip the path
 * before it; mount it before parsers of bodies. Without `owns` and `remember` it keeps in memory which user has created which session:
 * enough for one process. It never rejects: an error that one of the options throws is logged and answered with 500.
 */
export function imagewright<Request extends IncomingMessage = IncomingMessage, User = unknown>(
  options: ImagewrightOptions<Request, User>,
): (req: Request, res: ServerResponse) => Promise<void> {
  const { service, apiKey, userOf, host } = options;
  const idOf = async (user: User) => idOfUser((await options.idOf?.(user)) ?? user);
  const { owns, remember } = { ...rememberInMemory(idOf), ...options };
  const forward = createForwarder<User>({ service, apiKey, idOf, owns, remember });
  const download = downloadFrom(service, apiKey);

  const handle = async (req: Request, res: ServerResponse): Promise<void> => {
    const user = await userOf(req);
    if (!user) return refuse(res, 401, 'not_logged_in', 'Log in as a user who may edit media.');
    if (isForeign(req)) return refuse(res, 403, 'forbidden', 'A page of another site has sent this request.');
    const path = /^\/media(?<path>[/?].*|)$/.exec(req.url ?? '')?.groups?.path;
    if (host && path !== undefined) return answerHostCall({ host, download }, { req, res, path });
    return forward(req, res, user);
  };
  // Express 4, Connect and plain `http` handle no rejection: it would end the process of the CMS.
  return (req, res) =>
    handle(req, res).catch((error: unknown) => {
      console.error(error);
      refuse(res, 500, 'internal_error', 'The server could not do it; its log says why.');
    });
}

/** True for a change that a page of another site has sent with the cookies or the log-in of this one. */
function isForeign({ method = '', headers }: IncomingMessage): boolean {
  if (['GET', 'HEAD'].includes(method)) return false;
  const { origin, host, 'sec-fetch-site': site } = headers;
  if (site !== undefined) return site !== 'same-origin' && site !== 'none';
  // Browsers send the other header to HTTPS and to this machine alone; programs send neither.
  return origin !== undefined && (URL.canParse(origin) ? new URL(origin).host : origin) !== host;
}

/** @throws TypeError if the user is an object without an id */
function idOfUser(user: unknown): string | number {
  const id = (user as { id?: unknown }).id ?? user;
  if (typeof id === 'string' || typeof id === 'number') return id;
  throw new TypeError('idOf: expected a text or a number');
}

function rememberInMemory<User>(idOf: (user: User) => Promise<string | number>) {
  const owners = new Map<string, string | number>();
  return {
    owns: async (user: User, sessionId: string): Promise<unknown> => owners.get(sessionId) === (await idOf(user)),
    async remember(user: User, sessionId: string): Promise<unknown> {
      owners.set(sessionId, await idOf(user));
      const [oldest = ''] = owners.keys();
      if (owners.size > MOST_SESSIONS) owners.delete(oldest);
      return;
    },
  };
}

/** Creates the download of results, for whoever knows their address. @throws HostError `damaged` if the file is not the one that was announced */
function downloadFrom(service: string, apiKey: string): Download {
  return async ({ url, size, sha256 }) => {
    if (!RESULT.test(url)) throw new HostError('failed', 'This is no address of a result.');
    const response = await fetchFile(service, url, { 'X-API-Key': apiKey }).catch(() => null);
    if (!response?.ok)
      throw new HostError('damaged', `The image service answered ${response?.status ?? 'not at all'}.`);
    const blob = await response.blob();
    const hash = createHash('sha256').update(new Uint8Array(await blob.arrayBuffer()));
    if (blob.size !== size || hash.digest('hex') !== sha256) throw new HostError('damaged', 'The download is damaged.');
    return blob;
  };
}
