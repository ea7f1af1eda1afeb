import { z } from 'zod';
import { ERROR_CATALOGUE } from './error-codes.ts';

/** A part of an OpenAPI document. */
export type Json = Record<string, unknown>;

/** Returns a reference to a schema of the components. */
export const schemaRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** Schema of every error response. */
export const ERROR_SCHEMA: Json = {
  type: 'object',
  required: ['error', 'code', 'requestId'],
  properties: {
    error: { type: 'string', description: 'What was expected, of which field, and what was received.' },
    code: { type: 'string', enum: Object.keys(ERROR_CATALOGUE) },
    requestId: { type: 'string' },
    errors: {
      type: 'object',
      description: 'Messages by field.',
      additionalProperties: { type: 'array', items: { type: 'string' } },
    },
    limit: { type: 'integer', description: 'Largest allowed value.' },
    reason: {
      type: 'string',
      description: 'Broken rule of a password (`weak_password`): short, long, email, simple or common.',
    },
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

/** Converts a schema and moves definitions with an id to the components; request schemas get the suffix `Input`. */
export function convertSchema(schema: z.ZodType, io: 'input' | 'output', components: Map<string, Json>): Json {
  const {
    $schema: _,
    $defs = {},
    ...root
  } = z.toJSONSchema(schema, {
    io,
    override(context) {
      openForExtension(context);
      if (io === 'input') describeDefault(context);
    },
  }) as Json;
  const suffix = io === 'input' ? 'Input' : '';
  const relink = (value: unknown) =>
    JSON.parse(JSON.stringify(value).replace(/"#\/\$defs\/(\w+)"/g, `"#/components/schemas/$1${suffix}"`)) as Json;
  for (const [id, definition] of Object.entries($defs as Json)) components.set(id + suffix, relink(definition));
  return relink(root);
}

/**
 * Removes closed objects, since responses may get more fields, the 53-bit bounds of integers, and branches that are the same
 * on the way out.
 */
function openForExtension({ jsonSchema }: { jsonSchema: Json }): void {
  const { anyOf } = jsonSchema;
  if (Array.isArray(anyOf) && new Set(anyOf.map((branch) => JSON.stringify(branch))).size === 1) {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, { ...anyOf[0], ...jsonSchema });
  }
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** Moves a default to the description: generators take a request's field with a default for a required one. */
function describeDefault({ jsonSchema }: { jsonSchema: Json }): void {
  const { default: value, description = '' } = jsonSchema;
  if (value === undefined) return;
  delete jsonSchema.default;
  if (typeof value === 'object') return;
  jsonSchema.description = `${description} Default: \`${JSON.stringify(value)}\`.`.trim();
}
