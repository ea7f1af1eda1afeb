import type { z } from 'zod';
import { analysisCompleteEventSchema, analysisErrorEventSchema } from './analysis.ts';
import { DOWNLOAD_ADDRESS_TYPE, IDEMPOTENCY_KEY_LENGTH } from './constants/index.ts';
import type { Endpoint } from './endpoint.ts';
import { completeEventSchema, downloadAddressSchema, errorEventSchema } from './exports.ts';
import { uploadFieldsSchema } from './images.ts';
import { progressEventSchema } from './jobs.ts';
import type { SharedErrors } from './openapi-errors.ts';
import { ANSWER_EXAMPLES, REQUEST_EXAMPLES } from './openapi-examples.ts';
import { referToHeaders } from './openapi-headers.ts';
import { convertSchema, type Json, schemaRef } from './openapi-schemas.ts';

/** Inputs of {@link operationOf} that are the same for every operation. */
export interface OperationContext {
  /** Schemas of the document; filled. */
  components: Map<string, Json>;
  /** Error responses of the document. */
  errors: SharedErrors;
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
    ...requestBody(name, endpoint, context),
    responses: { ...success(name, endpoint, components), ...context.errors.responsesOf(endpoint) },
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
    'Id of the last event that was received, `<job id>:<number>`. The stream continues after it: no job is started, and nothing is charged.',
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

function requestBody(name: string, endpoint: Endpoint, { components, urlImport }: OperationContext): Json {
  if (!endpoint.body) return {};
  const schema = endpoint.body;
  const example = REQUEST_EXAMPLES[name];
  const json = () => ({
    'application/json': { schema: convertSchema(schema, 'input', components), ...(example ? { example } : {}) },
  });
  if (!endpoint.takesFiles) return { requestBody: { required: true, content: json() } };
  const content = { 'multipart/form-data': uploadForm(components), ...(urlImport ? json() : {}) };
  return { requestBody: { required: true, content } };
}

/** Returns the form of an upload. */
function uploadForm(components: Map<string, Json>): Json {
  const metadata = convertSchema(uploadFieldsSchema.shape.metadata, 'input', components);
  return {
    schema: {
      type: 'object',
      additionalProperties: false,
      required: ['images'],
      properties: {
        images: { type: 'array', minItems: 1, items: { type: 'string', format: 'binary' }, description: 'The files.' },
        metadata: {
          type: 'string',
          description: 'JSON list in the order of the files; `null` for a file without metadata.',
          contentMediaType: 'application/json',
          contentSchema: metadata,
        },
      },
    },
    encoding: { metadata: { contentType: 'application/json' } },
  };
}

const EXPORT_EVENTS = [progressEventSchema, completeEventSchema, errorEventSchema] as const;
const ANALYSIS_EVENTS = [progressEventSchema, analysisCompleteEventSchema, analysisErrorEventSchema] as const;

/** Returns name and schemas of the data of an endpoint's events: progress, complete and error. */
function eventsOf({ tag }: Endpoint): { name: string; kinds: Record<string, z.ZodType[]> } {
  const [[progress, complete, error], [, described, notDescribed]] = [EXPORT_EVENTS, ANALYSIS_EVENTS];
  const kinds = {
    Analysis: { progress: [progress], complete: [described], error: [notDescribed] },
    Jobs: { progress: [progress], complete: [complete, described], error: [error, notDescribed] },
    Export: { progress: [progress], complete: [complete], error: [error] },
  };
  if (tag === 'Analysis') return { name: 'AnalysisEvents', kinds: kinds.Analysis };
  return tag === 'Jobs' ? { name: 'JobEvents', kinds: kinds.Jobs } : { name: 'ExportEvents', kinds: kinds.Export };
}

/**
 * Describes a stream. OpenAPI 3.1 has no schema of an event: `x-events` names those of the data by the kind of event, and the schema is
 * the whole text, or the data of one event for clients that read it so.
 */
function streamOf(endpoint: Endpoint, components: Map<string, Json>): Json {
  const { name, kinds } = eventsOf(endpoint);
  const bound = Object.entries(kinds).map(([event, schemas]) => {
    const data = schemas.map((schema) => convertSchema(schema, 'output', components));
    return [event, data.length === 1 ? data[0] : { anyOf: data }] as const;
  });
  const data = Object.values(kinds).flatMap((schemas) =>
    schemas.map((one) => convertSchema(one, 'output', components)),
  );
  const description = 'Text of the stream; or as clients read it, the data of one event.';
  components.set(name, { description, anyOf: [{ type: 'string' }, ...data] });
  return { 'text/event-stream': { schema: schemaRef(name), 'x-events': Object.fromEntries(bound) } };
}

function success(name: string, endpoint: Endpoint, components: Map<string, Json>): Json {
  const { status, kind, schema, media = [] } = endpoint.success;
  const example = ANSWER_EXAMPLES[name];
  const content: Record<typeof kind, () => Json> = {
    json: () =>
      schema
        ? {
            'application/json': {
              schema: convertSchema(schema, 'output', components),
              ...(example ? { example } : {}),
            },
          }
        : {},
    stream: () => streamOf(endpoint, components),
    binary: () => Object.fromEntries(media.map((type) => [type, { schema: { type: 'string', format: 'binary' } }])),
    csv: () => ({ 'text/csv': { schema: { type: 'string', description: 'RFC 4180, with a header line.' } } }),
    jsonl: () => ({
      'application/x-ndjson': { schema: { type: 'string', description: 'One JSON object a line.' } },
    }),
    empty: () => ({}),
  };
  const body = kind === 'empty' ? {} : { content: content[kind]() };
  const headers = headersOf(name, endpoint);
  const responses: Json = { [status]: { description: endpoint.summary, headers: referToHeaders(headers), ...body } };
  if (name === 'downloadFile') responses[status] = fileOrAddress(endpoint, content[kind](), components);
  const always = ['X-Request-Id', ...limitHeaders(endpoint)];
  if (name === 'followJob') {
    responses[204] = { description: 'All events were received before', headers: referToHeaders(always) };
  }
  if (kind === 'binary') {
    const partial = [...headers, 'Content-Range'];
    responses[206] = { description: 'The requested byte range', headers: referToHeaders(partial), ...body };
  }
  if (headers.includes('ETag'))
    responses[304] = { description: 'Not modified', headers: referToHeaders([...always, 'ETag']) };
  if (name === 'downloadFile') {
    const description =
      'The file in the store of the service, where `DOWNLOADS` is `redirect`. For GET without conditions.';
    responses[302] = { description, headers: referToHeaders([...always, 'LocationOfFile']) };
  }
  return responses;
}

/** Describes a file, or where the store has it, for clients whose `Accept` names that media type. */
function fileOrAddress(endpoint: Endpoint, files: Json, components: Map<string, Json>): Json {
  const address = { [DOWNLOAD_ADDRESS_TYPE]: { schema: convertSchema(downloadAddressSchema, 'output', components) } };
  const headers = referToHeaders(['X-Request-Id', ...limitHeaders(endpoint), 'ETagOfFile', 'NameOfFile']);
  return { description: endpoint.summary, headers, content: { ...files, ...address } };
}

/** Returns the headers of a success, by the names of their components. */
function headersOf(name: string, endpoint: Endpoint): string[] {
  const byKind: Partial<Record<Endpoint['success']['kind'], string[]>> = {
    stream: ['X-Job-Id'],
    binary: ['ETag', 'Content-Disposition'],
    csv: ['Content-Disposition'],
    jsonl: ['Content-Disposition'],
  };
  const byName: Record<string, string[]> = { createSession: ['Location'], getOpenApi: ['ETag'] };
  const own = [...(byName[name] ?? []), ...(byKind[endpoint.success.kind] ?? [])];
  return ['X-Request-Id', ...limitHeaders(endpoint), ...own];
}

function limitHeaders({ auth }: Endpoint): string[] {
  return auth === 'key' ? ['RateLimit', 'RateLimit-Policy'] : [];
}
