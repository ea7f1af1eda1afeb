/** Media type with which a download is answered by the address of the file in the store, where clients accept it. */
export const DOWNLOAD_ADDRESS_TYPE = 'application/vnd.imagewright.address+json';

/** Value of `Accept` of a client that takes the address of a file, or the file. */
export const FILE_OR_ADDRESS = `${DOWNLOAD_ADDRESS_TYPE}, */*`;

/**
 * Returns the address of a file in the store of the service at `from`, which clients fetch once, without the key and without
 * following it further; null for one that is not meant so: no HTTP, with a password, or unencrypted from a service by HTTPS.
 */
export function safeAddress(told: unknown, from: string): string | null {
  const { url } = (told ?? {}) as { url?: unknown };
  if (typeof url !== 'string' || !URL.canParse(url)) return null;
  const { protocol, username, password } = new URL(url);
  const isHttp = protocol === 'https:' || (protocol === 'http:' && !/^https:/i.test(from));
  return isHttp && !username && !password ? url : null;
}
