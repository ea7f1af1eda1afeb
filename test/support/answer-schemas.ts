import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Json = Record<string, unknown>;

/** The OpenAPI document as the service serves it. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json>; responses: Record<string, Answer>; headers: Record<string, Header> };
}

/** A header of an answer. */
export interface Header {
  required?: boolean;
}

/** An answer of an operation. */
export interface Answer {
  description: string;
  headers?: Record<string, { $ref: string }>;
  content?: Record<string, { schema: Json }>;
}

/** One operation of the document. */
export interface Operation {
  operationId: string;
  responses: Record<string, Answer | { $ref: string }>;
}

/** Returns an answer of the document; undefined if it documents none of this status. */
export function answerOf(document: OpenApiDocument, path: string, method: string, status: number): Answer | undefined {
  const answer = document.paths[path]?.[method.toLowerCase()]?.responses[String(status)];
  return answer && '$ref' in answer ? document.components.responses[lastOf(answer.$ref)] : answer;
}

/** Headers that answers have for a reason, and that the document therefore names wherever they are sent. */
const TOLD = [
  'Content-Disposition',
  'Content-Range',
  'ETag',
  'Location',
  'RateLimit',
  'RateLimit-Policy',
  'Retry-After',
  'WWW-Authenticate',
  'X-Job-Id',
  'X-Request-Id',
];

/** Returns how media type and headers of a response differ from the document, as short lines. */
export function headerFaults(document: OpenApiDocument, answer: Answer, response: Response): string[] {
  const { headers = {}, content } = answer;
  const faults = TOLD.flatMap((name) =>
    response.headers.has(name) && !headers[name] ? [`${name}: not documented`] : [],
  );
  for (const [name, { $ref }] of Object.entries(headers)) {
    const { required } = document.components.headers[lastOf($ref)] ?? {};
    if (required && !response.headers.has(name)) faults.push(`${name}: documented, but not sent`);
  }
  const type = response.headers.get('Content-Type')?.split(';')[0] ?? 'none';
  // A response without a body has no type; one to HEAD or 204 may.
  const expected = content ? Object.keys(content) : ['none'];
  // A redirect has a line for people.
  return expected.includes(type) || response.status === 302
    ? faults
    : [...faults, `Content-Type: ${type} instead of ${expected.join(', ')}`];
}

const lastOf = (reference: string) => reference.slice(reference.lastIndexOf('/') + 1);

/**
 * Compiles the document's schemas with every object closed: a property that is not documented is a fault, except where
 * the document says `additionalProperties` itself.
 */
export function createAnswerSchemas(document: OpenApiDocument) {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'openapi', ...(closed(relinked(document)) as Json) });
  const compiled = new Map<string, ValidateFunction>();

  /** Faults of an answer, as short lines; none: it is as documented. */
  function faults(pointer: string, value: unknown): string[] {
    const validate = compiled.get(pointer) ?? ajv.compile({ $ref: `openapi#${pointer}` });
    compiled.set(pointer, validate);
    if (validate(value)) return [];
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  }

  return {
    component: (name: string, value: unknown) => faults(`/components/schemas/${name}`, value),
    answer(path: string, method: string, status: number, value: unknown): string[] {
      const steps = ['paths', path, method, 'responses', String(status), 'content', 'application/json', 'schema'];
      return faults(
        `/${steps.map((step) => encodeURIComponent(step.replace(/~/g, '~0').replace(/\//g, '~1'))).join('/')}`,
        value,
      );
    },
  };
}

function relinked(document: OpenApiDocument): unknown {
  return JSON.parse(JSON.stringify(document).replaceAll('"#/components/', '"openapi#/components/'));
}

function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)])) as Json;
  const isObjectSchema = copy.type === 'object' && typeof copy.properties === 'object';
  return isObjectSchema && copy.additionalProperties === undefined ? { ...copy, additionalProperties: false } : copy;
}
