const API_KEY = /iw_[0-9A-Za-z]{32}([0-9A-Za-z]{4})/g;
/** The cookie of a log-in, or the secret of a one-time link. */
const TOKEN = /(iw[sl])_[0-9A-Za-z]{43}/g;
/** Passwords stand in the addresses of servers. */
const URL_PASSWORD = /([a-z][a-z0-9+.-]*:\/\/[^\s/:@"]*:)[^\s/@"]+@/gi;
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const SECRET_FIELD = new RegExp(
  String.raw`("(?:x-api-key|authorization|proxy-authorization|cookie|set-cookie)":)(?:${STRING}|\[(?:${STRING},?)*\])`,
  'gi',
);

/**
 * Masks what must not be in a log: API keys wherever they stand (all but their last 4 characters), tokens of
 * log-ins and links, passwords in URLs, and the values of headers that carry credentials, at any depth. Works on the finished JSON line, so no way of logging goes past it.
 */
export function maskSecrets(line: string): string {
  return line
    .replace(SECRET_FIELD, '$1"[redacted]"')
    .replace(API_KEY, 'iw_…$1')
    .replace(TOKEN, '$1_…')
    .replace(URL_PASSWORD, '$1…@');
}
