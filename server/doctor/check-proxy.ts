import type { CheckLine } from '#contract';
import { INVENTED_ADDRESS, type SeenRequest } from './ask-address.ts';
import { linesOf } from './lines.ts';

/** Judges what the proxy in front of a public address tells the service about a request. */
export function checkProxy(base: string, seen: SeenRequest): CheckLine[] {
  const line = linesOf('proxy', `${base}: a request with an invented X-Forwarded-For`);
  const { protocol, hostname } = new URL(base);
  const lines: CheckLine[] = [];
  const about = judgeAddresses(seen, protocol === 'https:', line);
  if (about) lines.push(about);
  if (protocol === 'https:' && seen.trusted > 0 && seen.protocol !== 'https') {
    const remedy = 'have the proxy send X-Forwarded-Proto; docs/proxies.md has blocks for it';
    lines.push(line.warning('no_protocol', 'the service is not told that the page came by https', remedy));
  }
  // A proxy may leave the port out.
  if (!URL.canParse(`http://${seen.host}`) || new URL(`http://${seen.host}`).hostname !== hostname) {
    const remedy = 'have the proxy keep the name of the host (nginx: proxy_set_header Host $host)';
    lines.push(line.warning('other_host', 'the service is told another name of the host', remedy));
  }
  return lines.length > 0 ? lines : [line.ok('right', 'the service knows the address of its clients')];
}

function judgeAddresses(seen: SeenRequest, isSecure: boolean, line: ReturnType<typeof linesOf>): CheckLine | null {
  const { forwardedFor, trusted, client } = seen;
  const at = forwardedFor.indexOf(INVENTED_ADDRESS);
  const proxies = at < 0 ? forwardedFor.length : forwardedFor.length - at - 1;
  const set = `set TRUST_PROXY=${proxies === 0 ? 'off' : proxies}`;
  if (client === INVENTED_ADDRESS) {
    const found = `the service believes the address that a client invents (TRUST_PROXY=${trusted}, proxies: ${proxies})`;
    return line.fault(
      'believes_clients',
      found,
      `have the outermost proxy write X-Forwarded-For itself (docs/proxies.md has blocks for it), or ${set}`,
    );
  }
  if (trusted === proxies) {
    if (proxies > 0 || !isSecure) return null;
    const remedy = 'have the proxy send X-Forwarded-For and set TRUST_PROXY; docs/proxies.md has blocks for it';
    return line.warning('no_addresses', 'a proxy does the TLS, but does not tell the address of clients', remedy);
  }
  if (trusted < proxies) {
    const found = `all clients seem to have the address of a proxy (TRUST_PROXY=${trusted || 'off'}, proxies: ${proxies})`;
    return line.warning('too_little_trust', found, set);
  }
  const found = `fewer proxies than expected were seen (TRUST_PROXY=${trusted}, proxies: ${proxies})`;
  return line.warning('too_much_trust', found, `${set}, unless the way of this check leaves some out`);
}
