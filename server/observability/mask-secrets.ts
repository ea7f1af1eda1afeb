const API_KEY = /iw_[0-9A-Za-z]{32}([0-9A-Za-z]{4})/g;
/** Token of a browser session, a one-time link, a page or a link to a session. */
const TOKEN = /(iw[sltv])_[0-9A-Za-z]{43}/g;
/** Password in the URL of a server. */
const URL_PASSWORD = /([a-z][a-z0-9+.-]*:\/\/[^\s/:@"]*:)[^\s/@"]+@/gi;
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const SECRET_FIELD = new RegExp(
  String.raw`("(?:x-api-key|x-share-token|authorization|proxy-authorization|cookie|set-cookie)":)(?:${STRING}|\[(?:${STRING},?)*\])`,
  'gi',
);

/**
 * Masks secrets in a log line: API keys except for their last 4 characters, tokens of browser sessions, links and pages,
 * passwords in URLs, and the values of headers with credentials at any depth. Works on the finished JSON line, so it
 * covers every way of logging.
 */
export function maskSecrets(line: string): string {
  return line
    .replace(SECRET_FIELD, '$1"[redacted]"')
    .replace(API_KEY, 'iw_…$1')
    .replace(TOKEN, '$1_…')
    .replace(URL_PASSWORD, '$1…@');
}
