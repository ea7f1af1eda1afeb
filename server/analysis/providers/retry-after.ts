/**
 * Reads the delay requested by a response, in milliseconds: `Retry-After` in seconds or as a date (RFC 9110, 10.2.3), or
 * OpenAI's `retry-after-ms`.
 * @param headers names in lower case
 * @param now milliseconds since 1970
 */
export function retryAfterMs(headers: Record<string, string>, now: number): number | null {
  const exact = Number(headers['retry-after-ms'] ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return exact;
  const value = headers['retry-after'];
  if (value === undefined) return null;
  if (/^\d+(\.\d+)?$/.test(value.trim())) return Number(value) * 1000;
  const date = /^[A-Z][a-z]{2},/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}
