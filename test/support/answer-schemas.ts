import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Json = Record<string, unknown>;

/** The OpenAPI document as the service serves it. */
export interface OpenApiDocument {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Json> };
}

/** One operation of the document. */
export interface Operation {
  operationId: string;
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>;
}

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
