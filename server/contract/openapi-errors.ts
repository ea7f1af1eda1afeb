import { type Endpoint, errorCodesOf } from './endpoint.ts';
import { ERROR_CATALOGUE, type ErrorCode } from './error-codes.ts';
import { referToHeaders } from './openapi-headers.ts';
import { type Json, schemaRef } from './openapi-schemas.ts';

/** Refusals that operations share: one component for each status and set of codes. */
export interface SharedErrors {
  /** Components by name. */
  responses: Json;
  /** Returns the error responses of an operation, by status. */
  responsesOf(endpoint: Endpoint): Json;
}

/** Most codes that the name of a component lists. */
const NAMED_CODES = 3;

/** Collects the error responses of all endpoints, so that the document has each of them once. */
export function collectErrors(endpoints: Record<string, Endpoint>): SharedErrors {
  const names = new Map<string, string>();
  const responses: Json = {};
  const common = commonSets(Object.values(endpoints));
  for (const [operation, endpoint] of Object.entries(endpoints)) {
    for (const [status, codes] of codesByStatus(endpoint)) {
      const key = codes.join(' ');
      if (names.has(key)) continue;
      const name = nameOf({ status, codes, common: common.get(status) ?? [], operation });
      names.set(key, name);
      responses[name] = responseOf(status, codes);
    }
  }
  return {
    responses: Object.fromEntries(Object.entries(responses).sort(([a], [b]) => a.localeCompare(b))),
    responsesOf: (endpoint) =>
      Object.fromEntries(
        codesByStatus(endpoint).map(([status, codes]) => [
          status,
          { $ref: `#/components/responses/${names.get(codes.join(' '))}` },
        ]),
      ),
  };
}

/** Returns the codes of an endpoint by status, both in the order of the catalogue. */
function codesByStatus(endpoint: Endpoint): [number, ErrorCode[]][] {
  const own = new Set(errorCodesOf(endpoint));
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of Object.keys(ERROR_CATALOGUE) as ErrorCode[]) {
    if (!own.has(code)) continue;
    const { status } = ERROR_CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return [...byStatus].sort(([a], [b]) => a - b);
}

/** Returns for each status the set of codes that most endpoints have. */
function commonSets(endpoints: Endpoint[]): Map<number, ErrorCode[]> {
  const counts = new Map<number, Map<string, { codes: ErrorCode[]; count: number }>>();
  for (const [status, codes] of endpoints.flatMap(codesByStatus)) {
    const sets = counts.get(status) ?? new Map<string, { codes: ErrorCode[]; count: number }>();
    counts.set(status, sets);
    const { count } = sets.get(codes.join(' ')) ?? { count: 0 };
    sets.set(codes.join(' '), { codes, count: count + 1 });
  }
  return new Map(
    [...counts].map(([status, sets]) => [status, [...sets.values()].sort((a, b) => b.count - a.count)[0]?.codes ?? []]),
  );
}

interface Naming {
  status: number;
  codes: ErrorCode[];
  common: ErrorCode[];
  operation: string;
}

/** Names a component by its codes beside the common ones, `Error404ImageNotFound`; with many of them by its first operation. */
function nameOf({ status, codes, common, operation }: Naming): string {
  if (codes.join(' ') === common.join(' ')) return `Error${status}`;
  const includesCommon = common.every((code) => codes.includes(code));
  const own = includesCommon ? codes.filter((code) => !common.includes(code)) : codes;
  if (own.length > NAMED_CODES) return `Error${status}Of${pascal(operation)}`;
  return `Error${status}${includesCommon ? '' : 'Only'}${own.map(pascal).join('')}`;
}

function pascal(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function responseOf(status: number, codes: ErrorCode[]): Json {
  const description = codes.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].meaning}`).join(' ');
  const headers = referToHeaders(['X-Request-Id', ...headersOf(status, codes)]);
  return { description, headers, content: { 'application/json': { schema: schemaRef('ErrorBody') } } };
}

function headersOf(status: number, codes: ErrorCode[]): string[] {
  const byStatus: Record<number, string[]> = {
    401: ['WWW-Authenticate'],
    412: ['ETag'],
    416: ['Content-Range'],
    429: ['Retry-After', ...(codes.includes('rate_limited') ? ['RateLimit', 'RateLimit-Policy'] : [])],
    503: ['Retry-After'],
  };
  if (!codes.includes('idempotency_in_progress')) return byStatus[status] ?? [];
  return [codes.length === 1 ? 'Retry-After' : 'RetryAfterIfLater'];
}
