const EXACT = /^([0-9a-f]{64})\/([^/]+)$/;

/** Place of a file, as the address of a download tells it. */
export interface FilePlace {
  /** Session, or `{sessionId}-sample`. */
  namespace: string;
  /** Value of the parameter `filename`: `<sha256>/<name>` names these bytes, `<name>` the newest file of that name. */
  filename: string;
}

/** Returns the address of a file below the base URL: of these bytes with their SHA-256, else of the newest file of that name. */
export function addressOf(namespace: string, filename: string, sha256?: string): string {
  const content = sha256 === undefined ? '' : `${sha256}/`;
  return `/v1/sessions/${namespace}/download?filename=${content}${encodeURIComponent(filename)}`;
}

/** Returns the place that a download's address tells, e.g. of `/v1/sessions/sess_x/download?filename=a.webp`. */
export function placeOf(url: string): FilePlace {
  const { pathname, searchParams } = new URL(url, 'http://service');
  return {
    namespace: decodeURIComponent(/\/sessions\/([^/]+)\/download$/.exec(pathname)?.[1] ?? ''),
    filename: searchParams.get('filename') ?? '',
  };
}

/** Returns hash and name of a value of `filename` that names bytes; null for a plain name. */
export function contentOf(filename: string): { sha256: string; filename: string } | null {
  const [, sha256, name] = EXACT.exec(filename) ?? [];
  return sha256 === undefined || name === undefined ? null : { sha256, filename: name };
}
