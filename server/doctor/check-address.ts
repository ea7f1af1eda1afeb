import type { CheckLine } from '#contract';
import type { Config } from '../config/index.ts';
import { isLoopback, localUrl } from '../gateway/index.ts';
import { type AddressAnswer, askAddress } from './ask-address.ts';
import { isUploadRefused } from './ask-upload-limit.ts';
import { checkProxy } from './check-proxy.ts';
import { linesOf } from './lines.ts';
import type { NetworkKind } from './network-failure.ts';
import { createProver } from './prove-installation.ts';

/** Bytes of an upload request beside its files. */
const FRAME_BYTES = 10_000;

interface AddressCheckInput {
  config: Pick<Config, 'http' | 'jobs' | 'signIn'>;
  /** Secret of the API keys; null if there is none yet. */
  pepper: Buffer | null;
  /** Address at which this process listens; absent: that of the settings. */
  ownUrl?: string | undefined;
  signal: AbortSignal;
}

/** Asks at the public address for this installation, and looks at what a proxy in front does. */
export async function checkAddress({ config, pepper, ownUrl, signal }: AddressCheckInput): Promise<CheckLine[]> {
  const { http, signIn } = config;
  const base = http.PUBLIC_URL ?? ownUrl ?? localUrl(http.HOST, http.PORT);
  const isPublic = http.PUBLIC_URL !== undefined;
  const line = linesOf('address', `${base} (${isPublic ? 'PUBLIC_URL' : 'HOST and PORT'})`);
  if (!isPublic && ownUrl === undefined && http.PORT === 0)
    return [line.off('any_port', 'PORT is 0, so only the running service knows its address')];
  if (pepper === null)
    return [line.off('never_started', 'the service was never started here, so nothing can be compared')];
  const lines = isPublic
    ? plainWarnings(http.PUBLIC_URL ?? '', signIn.LOGIN_COOKIE, line)
    : localWarnings(http.HOST, line);
  let answer = await askAddress(base, createProver(pepper), signal);
  // A busy machine reads both events at once.
  if (answer.kind === 'this' && answer.isHeldBack) answer = await askAddress(base, createProver(pepper), signal);
  if (answer.kind !== 'this') return [explain(answer, isPublic, line), ...lines];
  const refused = await isUploadRefused(base, http.MAX_FILE_MB * 1_000_000 + FRAME_BYTES, signal);
  return [
    line.ok('this_installation', 'this installation answers there'),
    ...lines,
    ...(isPublic ? checkProxy(base, answer.seen) : []),
    judgeStream(base, answer.isHeldBack),
    judgeUpload(base, http.MAX_FILE_MB, refused),
  ];
}

/** Warns of a log-in that browsers will not keep. */
function plainWarnings(url: string, cookie: string, line: ReturnType<typeof linesOf>): CheckLine[] {
  const { protocol, hostname } = new URL(url);
  if (protocol === 'https:' || isLoopback(hostname) || cookie === 'plain') return [];
  const found = 'it begins with http://, so browsers keep no log-in';
  return [line.warning('plain_http', found, 'put TLS in front and use https://, or set LOGIN_COOKIE=plain')];
}

function localWarnings(host: string, line: ReturnType<typeof linesOf>): CheckLine[] {
  if (isLoopback(host)) return [];
  const found = 'other machines are let in, but links in mails begin with this address';
  return [line.warning('no_public_url', found, 'set PUBLIC_URL to the address that people use')];
}

const REMEDIES: Record<NetworkKind, string> = {
  refused: 'start the service and the proxy in front, or correct PUBLIC_URL, HOST or PORT',
  unknown_host: 'correct the host in PUBLIC_URL, or its entry in the DNS',
  silent:
    'look for a firewall, or correct PUBLIC_URL; some networks do not lead back to themselves: try from another machine',
  tls: 'renew the certificate, and name the host of PUBLIC_URL in it',
  closed: 'correct http or https in PUBLIC_URL, and look into the log of the proxy',
  other: 'correct PUBLIC_URL, and look into the log of the proxy',
};

function explain(
  answer: Exclude<AddressAnswer, { kind: 'this' }>,
  isPublic: boolean,
  line: ReturnType<typeof linesOf>,
): CheckLine {
  if (answer.kind === 'unreachable') {
    const { kind, found } = answer.failure;
    // A service that was not started yet is no fault of its address.
    if (!isPublic && kind === 'refused')
      return line.warning('not_running', found, 'start the service, then check again');
    return line.fault(kind, found, REMEDIES[kind]);
  }
  if (answer.kind === 'another') {
    const found = 'another installation answers there, or one with another secret of the API keys';
    return line.fault(
      'other_installation',
      found,
      'correct PUBLIC_URL or where the proxy leads; or run the check with the settings of the service',
    );
  }
  if (answer.kind === 'busy') {
    const found = `the service answers, but it starts, stops, or waits for its database (${answer.status})`;
    return line.warning('busy', found, 'mend what is said of the database, wait, and check again');
  }
  if (answer.kind === 'redirect')
    return line.fault(
      'redirect',
      `it leads elsewhere (${answer.status})`,
      'set PUBLIC_URL to the address to which it leads',
    );
  const isGateway = [502, 503, 504].includes(answer.status);
  if (isGateway)
    return line.fault(
      'gateway',
      `a proxy answers, but not the service (${answer.status})`,
      'start the service, or correct where the proxy leads',
    );
  return line.fault(
    'not_imagewright',
    `something else answers there (${answer.status})`,
    'correct PUBLIC_URL, or where the proxy leads',
  );
}

function judgeStream(base: string, isHeldBack: boolean): CheckLine {
  const line = linesOf('streams', `${base}: a stream of two events`);
  if (!isHeldBack) return line.ok('at_once', 'each event arrives at once');
  const remedy =
    'switch buffering and compression off for text/event-stream in the proxy; docs/proxies.md has blocks for it';
  return line.fault('held_back', 'the events arrive together at the end, so nobody sees progress', remedy);
}

function judgeUpload(base: string, megabytes: number, isRefused: boolean | null): CheckLine {
  const line = linesOf('uploads', `${base}: announces an upload of ${megabytes} MB (MAX_FILE_MB), and sends none`);
  if (isRefused === null) return line.off('not_seen', 'a limit could not be seen');
  if (!isRefused) return line.ok('let_through', 'it is let through');
  const remedy =
    'raise the limit of the proxy above MAX_REQUEST_MB (nginx: client_max_body_size), or lower MAX_FILE_MB';
  return line.fault('too_small', 'a proxy refuses it (413)', remedy);
}
