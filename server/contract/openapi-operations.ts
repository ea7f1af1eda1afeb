import type { z } from 'zod';
import { analysisCompleteEventSchema, analysisErrorEventSchema } from './analysis.ts';
import { IDEMPOTENCY_KEY_LENGTH } from './constants/index.ts';
import { type Endpoint, errorCodesOf } from './endpoint.ts';
import { ERROR_CATALOGUE, type ErrorCode } from './error-codes.ts';
import { completeEventSchema, errorEventSchema } from './exports.ts';
import { progressEventSchema } from './jobs.ts';
import { convertSchema, type Json, schemaRef } from './openapi-schemas.ts';

/** Response headers, by name. */
export const HEADERS: Json = {
  'X-Request-Id': { description: 'Id of the request in the log.', schema: { type: 'string' } },
  'X-Job-Id': { description: 'Id of the job.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds after which to try again.', schema: { type: 'integer' } },
  Location: { description: 'Path of what was created.', schema: { type: 'string' } },
  ETag: { description: 'Version of the file.', schema: { type: 'string' } },
  'Content-Disposition': { description: 'Name of the file.', schema: { type: 'string' } },
  'Content-Range': { description: 'Returned bytes and size of the file.', schema: { type: 'string' } },
};

/** Statuses whose responses say when to try again. */
const LATER = [409, 429, 503];

/** Inputs of {@link operationOf} that are the same for every operation. */
export interface OperationContext {
  /** Schemas of the document; filled. */
  components: Map<string, Json>;
  /** True if uploads may name URLs in a JSON body. */
  urlImport: boolean;
}

/** Builds the OpenAPI operation of an endpoint. */
export function operationOf(name: string, endpoint: Endpoint, context: OperationContext): Json {
  const { components } = context;
  const parameters = [
    ...parametersOf(endpoint.params, 'path', components),
    ...parametersOf(endpoint.query, 'query', components),
    ...(endpoint.idempotent ? [IDEMPOTENCY_KEY] : []),
    ...(endpoint.success.kind === 'stream' ? [LAST_EVENT_ID] : []),
  ];
  return {
    operationId: name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    description: describe(endpoint),
    ...SECURITY[endpoint.auth],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(endpoint, context),
    responses: { ...success(endpoint, components), ...errorResponses(endpoint) },
  };
}

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'The same key and body give the same response, and one charge, for 24 hours.',
  schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_LENGTH },
};

const LAST_EVENT_ID: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  description:
    'Id of the last event that was received. The stream continues after it: no job is started, and nothing is charged.',
  schema: { type: 'string' },
};

const SECURITY: Record<Endpoint['auth'], Json> = {
  key: {},
  login: { security: [{ login: [] }] },
  operator: { security: [{ login: [] }] },
  share: { security: [{ share: [] }] },
  none: { security: [] },
};

function parametersOf(schema: z.ZodObject | undefined, where: 'path' | 'query', components: Map<string, Json>): Json[] {
  if (!schema) return [];
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...rest } = convertSchema(field as z.ZodType, 'input', components);
    const required = where === 'path' || !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: where, required, ...(description ? { description } : {}), schema: rest };
  });
}

/** Describes what the table says about an operation beside its summary. */
function describe({ auth, idempotent, success: { kind } }: Endpoint): string {
  const access = {
    key: 'Needs an API key, or the log-in cookie from a page of this service.',
    login: 'Needs the log-in cookie.',
    operator: 'Needs the log-in cookie of an operator.',
    share: 'Needs the token of a link. For the page that the link opens.',
    none: 'Needs no authentication.',
  };
  const parts = [access[auth]];
  if (kind === 'stream')
    parts.push('The response is a stream of Server-Sent Events; errors before its start are plain JSON.');
  if (idempotent) parts.push('May be repeated with the same `Idempotency-Key`.');
  return parts.join(' ');
}

function requestBody(endpoint: Endpoint, { components, urlImport }: OperationContext): Json {
  if (!endpoint.body) return {};
  const json = () => ({
    'application/json': { schema: convertSchema(endpoint.body as z.ZodType, 'input', components) },
  });
  if (!endpoint.takesFiles) return { requestBody: { required: true, content: json() } };
  const content = { 'multipart/form-data': { schema: UPLOAD_SCHEMA }, ...(urlImport ? json() : {}) };
  return { requestBody: { required: true, content } };
}

const UPLOAD_SCHEMA: Json = {
  type: 'object',
  required: ['images'],
  properties: {
    images: { type: 'array', items: { type: 'string', format: 'binary' }, description: 'The files.' },
    metadata: {
      type: 'string',
      description: 'JSON array in file order: `[{clientRef?, position?, title?, alt?, filename?}]`.',
    },
  },
};

const EXPORT_EVENTS = [progressEventSchema, completeEventSchema, errorEventSchema];
const ANALYSIS_EVENTS = [progressEventSchema, analysisCompleteEventSchema, analysisErrorEventSchema];

/** Returns the schemas of the data of an endpoint's events. */
function eventsOf({ tag }: Endpoint): z.ZodType[] {
  if (tag === 'Jobs') return [...new Set<z.ZodType>([...EXPORT_EVENTS, ...ANALYSIS_EVENTS])];
  return tag === 'Analysis' ? ANALYSIS_EVENTS : EXPORT_EVENTS;
}

function success(endpoint: Endpoint, components: Map<string, Json>): Json {
  const { status, kind, schema } = endpoint.success;
  const content: Record<typeof kind, () => Json> = {
    json: () => (schema ? { 'application/json': { schema: convertSchema(schema, 'output', components) } } : {}),
    stream: () => {
      const events = eventsOf(endpoint).map((event) => convertSchema(event, 'output', components));
      // Events of exports and analyses are alike, so that a job of any kind cannot have exactly one of them.
      const keyword = endpoint.tag === 'Jobs' ? 'anyOf' : 'oneOf';
      return { 'text/event-stream': { schema: { [keyword]: events, description: 'Data of one event.' } } };
    },
    binary: () => ({ 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } }),
    csv: () => ({ 'text/csv': { schema: { type: 'string', description: 'RFC 4180, with a header line.' } } }),
    jsonl: () => ({
      'application/x-ndjson': { schema: { type: 'string', description: 'One JSON object a line.' } },
    }),
    empty: () => ({}),
  };
  const body = kind === 'empty' ? {} : { content: content[kind]() };
  const headers = headersOf(endpoint);
  const responses: Json = { [status]: { description: endpoint.summary, headers: refer(headers), ...body } };
  if (endpoint.path.endsWith('/events')) responses[204] = { description: 'All events were received before' };
  if (kind === 'binary') {
    const partial = { description: 'The requested byte range', headers: refer([...headers, 'Content-Range']), ...body };
    Object.assign(responses, { 206: partial, 304: { description: 'Not modified', headers: refer(['ETag']) } });
  }
  return responses;
}

/** Returns the names of the headers of a success. */
function headersOf({ path, success: { kind } }: Endpoint): string[] {
  const byKind: Partial<Record<typeof kind, string[]>> = {
    stream: ['X-Job-Id'],
    binary: ['ETag', 'Content-Disposition'],
    csv: ['Content-Disposition'],
  };
  return ['X-Request-Id', ...(path === '/v1/sessions' ? ['Location'] : []), ...(byKind[kind] ?? [])];
}

function refer(names: string[]): Json {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

function errorResponses(endpoint: Endpoint): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(endpoint)) {
    const { status } = ERROR_CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].meaning}`).join(' '),
        headers: refer(['X-Request-Id', ...(LATER.includes(status) ? ['Retry-After'] : [])]),
        content: { 'application/json': { schema: schemaRef('ErrorBody') } },
      },
    ]),
  );
}
