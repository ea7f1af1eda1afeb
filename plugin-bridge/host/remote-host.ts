import type { Checked, CmsHost, HostPage, HostQuery, Replaced, Replacement, Restored } from './cms-host.ts';
import { HostError, type HostErrorCode } from './host-error.ts';

/** Options of {@link createRemoteHost}. */
export interface RemoteHostOptions {
  /** Returns headers of each request, for example a CSRF token of the CMS. */
  headers?: (() => Record<string, string> | Promise<Record<string, string>>) | undefined;
  /** Renews them after an answer with 401 or 403; true: the request is sent again. */
  renew?: (() => Promise<boolean>) | undefined;
}

/** Codes of answers that do not come from the host. */
const CODES: Partial<Record<number, HostErrorCode>> = { 403: 'forbidden', 404: 'not_found' };

/**
 * Creates the host whose images are on the server of this page, by the calls that `imagewright` of `@imagewright/host/server` answers.
 * Its server downloads results from the service itself.
 * @param endpoint where the server has `imagewright`, the `endpoint` of the element too, e.g. `/imagewright`
 */
export function createRemoteHost(endpoint: string, { headers, renew }: RemoteHostOptions = {}): CmsHost {
  const base = `${endpoint}/media`;
  type Call = { signal?: AbortSignal | undefined };

  async function send(path: string, init: RequestInit): Promise<Response> {
    const request = async () => fetch(base + path, { ...init, headers: { ...init.headers, ...(await headers?.()) } });
    const answer = await request();
    return [401, 403].includes(answer.status) && (await renew?.()) ? request() : answer;
  }

  async function call(path: string, init: RequestInit): Promise<Response> {
    const answer = await send(path, init);
    if (answer.ok) return answer;
    const { error, code } = (await answer.json().catch(() => ({}))) as { error?: string; code?: HostErrorCode };
    const own = answer.status === 401 ? 'expired' : code;
    throw new HostError(own ?? CODES[answer.status] ?? 'failed', error ?? `The CMS answered ${answer.status}.`);
  }

  const get = (path: string, { signal }: Call = {}) => call(path, { signal: signal ?? null });
  async function post<Result>(id: string, name: string, body: object = {}, { signal }: Call = {}): Promise<Result> {
    const path = `/${encodeURIComponent(id)}/${name}`;
    const sent = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
    return (await call(path, { ...sent, signal: signal ?? null })).json() as Promise<Result>;
  }

  return {
    id: `remote:${new URL(base, globalThis.location?.href).href}`,
    downloads: true,
    list: async (query) => (await get(`?${searchOf(query)}`)).json() as Promise<HostPage>,
    check: async (id, { uploaded, signal } = {}) =>
      (await post<Checked | null>(id, 'check', { uploaded }, { signal })) ?? undefined,
    fetch: async (id, options) => (await get(`/${encodeURIComponent(id)}/original`, options)).blob(),
    replace: (id, replacement, options) => post<Replaced>(id, 'replace', replacement, options),
    noGain: async (id, replacement, options) => void (await post(id, 'no-gain', replacement, options)),
    restore: (id, options) => post<Restored>(id, 'restore', {}, options),
    ...(headers && { headers }),
    ...(renew && { renew }),
  };
}

function searchOf({ ids, ...query }: HostQuery): URLSearchParams {
  const values = Object.entries(query).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(values.map(([name, value]) => [name, String(value)]));
  for (const id of ids ?? []) search.append('id', id);
  // Without one of them, a list of no ids would be a list of all images.
  if (ids) search.append('id', '');
  return search;
}

/** A replacement as it is sent: the server fetches its files by their addresses. */
export type SentReplacement = Omit<Replacement, 'variants'> & {
  variants: Omit<Replacement['variants'][number], 'blob'>[];
};
