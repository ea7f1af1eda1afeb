import { createClient, type HeadersSource } from '../sdk/index.ts';
import { type CheckedCalls, checkBeforePaying, type PaidCalls } from './check-before-paying.ts';
import type { CmsHost } from './cms-host.ts';
import type { HostElement } from './host-element.ts';
import { HostError } from './host-error.ts';
import type { HostTextKey } from './host-texts.ts';
import { renewingTransport } from './renewing-transport.ts';

/** The element's calls to the service, as a host wants them. */
export interface InstalledCalls {
  /** Downloads an exported file. @throws HostError `not_exported` if the service no longer has it */
  download(namespace: string, filename: string, signal?: AbortSignal): Promise<Blob>;
  /** Returns why an image was left out of the last paid request; absent for a host without `check`. */
  refusalOf: CheckedCalls['refusalOf'] | undefined;
  /** Puts the element's own transport back. */
  release(): void;
}

/** Installs a transport in the element that renews the host's headers and asks the host before anything is paid. */
export function installCalls(element: HostElement, host: CmsHost, text: (key: HostTextKey) => string): InstalledCalls {
  const makeClient = () =>
    createClient({
      endpoint: element.endpoint,
      ...(element.apiKey && { apiKey: element.apiKey }),
      headers: element.headers as HeadersSource,
    });
  const renew = host.renew?.bind(host);
  if (renew) element.transport = { ...renewingTransport(makeClient(), renew), ...(element.transport as object) };
  const before = element.transport;
  const checked =
    host.check &&
    checkBeforePaying({
      element,
      check: host.check.bind(host),
      calls: () => ({ ...makeClient(), ...(before as object) }) as unknown as PaidCalls,
    });
  if (checked) element.transport = { ...(before as object), ...checked.calls };
  const installed = element.transport;
  return {
    refusalOf: checked?.refusalOf,
    async download(namespace, filename, signal) {
      const calls = (element.transport ?? {}) as Partial<ReturnType<typeof makeClient>>;
      const call = calls.downloadFile ?? makeClient().downloadFile;
      try {
        return await call(namespace, filename, { signal });
      } catch (error) {
        const { code } = (error ?? {}) as { code?: unknown };
        const isGone = code === 'session_not_found' || code === 'file_not_found';
        throw isGone ? new HostError('not_exported', text('host.result_gone'), { cause: error }) : error;
      }
    },
    release() {
      if (element.transport === installed) element.transport = before;
    },
  };
}
