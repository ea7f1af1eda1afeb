import { DOWNLOAD_ADDRESS_TYPE, FILE_OR_ADDRESS, safeAddress } from '#contract/constants';

/**
 * Fetches a file of the service, or from the store that the service names: that one step, without the headers of the request and no further.
 * @throws TypeError if either does not answer, or wants to lead elsewhere
 */
export async function fetchFile(service: string, path: string, headers: Record<string, string>): Promise<Response> {
  const answer = await fetch(service + path, { headers: { ...headers, Accept: FILE_OR_ADDRESS }, redirect: 'error' });
  return followAddress(answer, service);
}

/** True for an answer that names where the file is. */
export function isAddress(contentType: string | null | undefined): boolean {
  return contentType?.startsWith(DOWNLOAD_ADDRESS_TYPE) === true;
}

async function followAddress(answer: Response, service: string): Promise<Response> {
  if (!answer.ok || !isAddress(answer.headers.get('Content-Type'))) return answer;
  return fetchAddress(await answer.json(), service);
}

/** Fetches the file that an answer of the service names. @throws TypeError if it names none, or the store does not answer */
export async function fetchAddress(told: unknown, service: string, init: RequestInit = {}): Promise<Response> {
  const address = safeAddress(told, service);
  if (!address) throw new TypeError('The service has named no address of a file.');
  return fetch(address, { ...init, redirect: 'error', referrerPolicy: 'no-referrer' });
}
