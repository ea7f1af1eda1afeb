const API_KEY = /iw_[0-9A-Za-z]{32}([0-9A-Za-z]{4})/g;
const STRING = String.raw`"(?:[^"\\]|\\.)*"`;
const SECRET_FIELD = new RegExp(
  String.raw`("(?:x-api-key|authorization|proxy-authorization|cookie|set-cookie)":)(?:${STRING}|\[(?:${STRING},?)*\])`,
  'gi',
);

/**
 * Masks what must not be in a log: API keys wherever they stand (all but their last 4 characters), and the values of
 * headers that carry credentials, at any depth. Works on the finished JSON line, so no way of logging goes past it.
 */
export function maskSecrets(line: string): string {
  return line.replace(SECRET_FIELD, '$1"[redacted]"').replace(API_KEY, 'iw_…$1');
}
