import { z } from 'zod';
import { analysisCompleteEventSchema, analysisErrorEventSchema } from './analysis.ts';
import { IDEMPOTENCY_KEY_LENGTH } from './constants/index.ts';
import type { Endpoint } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';
import { ERROR_CATALOGUE, type ErrorCode } from './error-codes.ts';
import { completeEventSchema, errorEventSchema } from './exports.ts';
import { progressEventSchema } from './jobs.ts';

type Json = Record<string, unknown>;

/** Errors of every endpoint that uses the database. */
const COMMON_ERRORS: ErrorCode[] = [
  'invalid_request',
  'internal_error',
  'shutting_down',
  'database_unavailable',
  'insufficient_storage',
];
const LOGIN_ERRORS: ErrorCode[] = ['not_logged_in', 'cross_site_request', 'account_suspended'];
const AUTH_ERRORS: Record<Endpoint['auth'], ErrorCode[]> = {
  key: [...LOGIN_ERRORS, 'invalid_api_key', 'inactive_api_key', 'token_not_allowed', 'rate_limited'],
  login: LOGIN_ERRORS,
  operator: [...LOGIN_ERRORS, 'operator_required'],
  none: ['cross_site_request'],
};
const BODY_ERRORS: ErrorCode[] = ['invalid_json', 'request_too_large', 'unsupported_media_type', 'request_timeout'];
const IDEMPOTENCY_ERRORS: ErrorCode[] = ['invalid_idempotency_key', 'idempotency_in_progress', 'idempotency_mismatch'];

/** Returns every error code of an endpoint. */
export function errorCodesOf(endpoint: Endpoint): ErrorCode[] {
  const codes = new Set<ErrorCode>(endpoint.errors);
  // Public documents under /v1 need neither the database nor authentication.
  if (endpoint.auth !== 'none' || endpoint.path.startsWith('/account/')) {
    for (const code of [...COMMON_ERRORS, ...AUTH_ERRORS[endpoint.auth]]) codes.add(code);
  }
  if (endpoint.bodyKind !== 'none') for (const code of BODY_ERRORS) codes.add(code);
  if (endpoint.idempotent) for (const code of IDEMPOTENCY_ERRORS) codes.add(code);
  return [...codes];
}

/** Builds the OpenAPI 3.1 document from the endpoint table, with the schemas of the validation. */
export function buildOpenApi(version: string): Json {
  const components = new Map<string, Json>();
  const paths: Record<string, Json> = {};
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [string, Endpoint][]) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [endpoint.method.toLowerCase()]: operation(name, endpoint, components) };
  }
  const events = {
    ProgressEvent: progressEventSchema,
    CompleteEvent: completeEventSchema,
    AnalysisCompleteEvent: analysisCompleteEventSchema,
    AnalysisErrorEvent: analysisErrorEventSchema,
    ErrorEvent: errorEventSchema,
  };
  for (const schema of Object.values(events)) convert(schema, 'output', components);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Imagewright',
      version,
      description:
        'Compress, convert, rename and describe images. Streams are Server-Sent Events of three kinds: `progress` ' +
        '(ProgressEvent), `complete` (CompleteEvent, AnalysisCompleteEvent) and `error` (ErrorEvent, AnalysisErrorEvent); exactly one of the last two ends a stream.',
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }, { login: [] }],
    tags: ['Sessions', 'Analysis', 'Export', 'Jobs', 'Credits', 'Account', 'Operator', 'Service'].map((tag) => ({
      name: tag,
    })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        login: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-imagewright',
          description:
            'Set by logging in. Accepted from pages of this service only: by `Sec-Fetch-Site`, else by `Origin`.',
        },
      },
      schemas: { Error: ERROR_SCHEMA, ...Object.fromEntries([...components].sort(([a], [b]) => a.localeCompare(b))) },
    },
  };
}

const ERROR_SCHEMA: Json = {
  type: 'object',
  required: ['error', 'code', 'requestId'],
  properties: {
    error: { type: 'string', description: 'What was expected, of which field, and what was received.' },
    code: { type: 'string', enum: Object.keys(ERROR_CATALOGUE) },
    requestId: { type: 'string' },
    errors: { type: 'object', description: 'Messages by field.', additionalProperties: { type: 'array' } },
    limit: { type: 'integer', description: 'Largest allowed value.' },
    limitName: { type: 'string', description: 'Name of the limit of the plan (`…_limit_reached`).' },
    used: { type: 'number', description: 'Use of the limit of the plan (`…_limit_reached`).' },
    received: { type: 'integer', description: 'Received value.' },
    queued: { type: 'integer', description: 'Images in the queue (`overloaded`).' },
    balance: { type: 'integer', description: 'Credits of the account (`insufficient_credits`).' },
    required: { type: 'integer', description: 'Required credits (`insufficient_credits`).' },
    shortfall: { type: 'integer', description: 'Missing credits (`insufficient_credits`).' },
    imageId: { type: 'string', description: 'Id of the image.' },
    status: { type: 'string', description: 'State of the job (`job_finished`).' },
    size: { type: 'integer', description: 'Bytes of the file (`range_not_satisfiable`).' },
    detected: { type: 'string', description: 'Detected type of the file (`unsupported_image`).' },
    supported: { type: 'array', items: { type: 'string' }, description: 'Accepted formats.' },
    rejected: {
      type: 'array',
      items: { $ref: '#/components/schemas/RejectedFile' },
      description: 'All files of an upload without accepted files.',
    },
  },
};

function operation(name: string, endpoint: Endpoint, components: Map<string, Json>): Json {
  const parameters = [
    ...parametersOf(endpoint.params, 'path', components),
    ...parametersOf(endpoint.query, 'query', components),
  ];
  if (endpoint.idempotent) {
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description: 'The same key and body give the same response, and one charge, for 24 hours.',
      schema: { type: 'string', minLength: 1, maxLength: IDEMPOTENCY_KEY_LENGTH },
    });
  }
  if (endpoint.success.kind === 'stream') parameters.push(LAST_EVENT_ID);
  return {
    operationId: name,
    tags: [endpoint.tag],
    summary: endpoint.summary,
    ...SECURITY[endpoint.auth],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...requestBody(endpoint, components),
    responses: { ...success(endpoint, components), ...errorResponses(endpoint) },
  };
}

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
  none: { security: [] },
};

function parametersOf(schema: z.ZodObject | undefined, where: 'path' | 'query', components: Map<string, Json>): Json[] {
  if (!schema) return [];
  return Object.entries(schema.shape).map(([name, field]) => {
    const { description, ...rest } = convert(field as z.ZodType, 'input', components);
    const required = where === 'path' || !(field as z.ZodType).safeParse(undefined).success;
    return { name, in: where, required, ...(description ? { description } : {}), schema: rest };
  });
}

function requestBody(endpoint: Endpoint, components: Map<string, Json>): Json {
  if (!endpoint.body) return {};
  const content: Json = { 'application/json': { schema: convert(endpoint.body, 'input', components) } };
  if (endpoint.bodyKind === 'multipart-or-json') {
    content['multipart/form-data'] = {
      schema: {
        type: 'object',
        required: ['images'],
        properties: {
          images: { type: 'array', items: { type: 'string', format: 'binary' }, description: 'The files.' },
          metadata: {
            type: 'string',
            description: 'JSON array in file order: `[{clientRef?, title?, alt?, filename?}]`.',
          },
        },
      },
    };
  }
  return { requestBody: { required: true, content } };
}

function success(endpoint: Endpoint, components: Map<string, Json>): Json {
  const { status, kind, schema } = endpoint.success;
  const content: Record<typeof kind, Json> = {
    json: schema ? { 'application/json': { schema: convert(schema, 'output', components) } } : {},
    stream: { 'text/event-stream': { schema: { type: 'string', description: 'Events; see the introduction.' } } },
    binary: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
    csv: { 'text/csv': { schema: { type: 'string', description: 'RFC 4180, with a header line.' } } },
    jsonl: { 'application/x-ndjson': { schema: { type: 'string', description: 'One JSON object a line.' } } },
    empty: {},
  };
  const body = kind === 'empty' ? {} : { content: content[kind] };
  const responses: Json = { [status]: { description: endpoint.summary, ...body } };
  if (endpoint.path.endsWith('/events')) responses[204] = { description: 'All events were received before' };
  if (kind === 'binary') {
    responses[206] = { description: 'The requested byte range', ...body };
    responses[304] = { description: 'Not modified' };
  }
  return responses;
}

function errorResponses(endpoint: Endpoint): Json {
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of errorCodesOf(endpoint)) {
    const { status } = ERROR_CATALOGUE[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  const schema = { $ref: '#/components/schemas/Error' };
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => `\`${code}\`: ${ERROR_CATALOGUE[code].meaning}`).join(' '),
        content: { 'application/json': { schema } },
      },
    ]),
  );
}

/** Converts a schema and moves definitions with an id to the components; request schemas get the suffix `Input`. */
function convert(schema: z.ZodType, io: 'input' | 'output', components: Map<string, Json>): Json {
  const { $schema: _, $defs = {}, ...root } = z.toJSONSchema(schema, { io, override: openForExtension }) as Json;
  const suffix = io === 'input' ? 'Input' : '';
  const relink = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replace(/"#\/\$defs\/(\w+)"/g, `"#/components/schemas/$1${suffix}"`)) as Json;
  for (const [id, definition] of Object.entries($defs as Json)) components.set(id + suffix, relink(definition));
  return relink(root);
}

/** Removes closed objects, since responses may get more fields, and the 53-bit bounds of integers. */
function openForExtension({ jsonSchema }: { jsonSchema: Json }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
