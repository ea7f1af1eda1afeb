import { z } from 'zod';
import { ERROR_CATALOGUE } from './error-codes.ts';

/** A part of an OpenAPI document. */
export type Json = Record<string, unknown>;

/** Returns a reference to a schema of the components. */
export const schemaRef = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** Schema of the codes of errors. */
export const ERROR_CODE_SCHEMA: Json = { type: 'string', enum: Object.keys(ERROR_CATALOGUE) };

/** Schema of every error response. */
export const ERROR_SCHEMA: Json = {
  type: 'object',
  required: ['error', 'code', 'requestId'],
  properties: {
    error: { type: 'string', description: 'What was expected, of which field, and what was received.' },
    code: schemaRef('ErrorCode'),
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
    etag: { type: 'string', description: 'Version of the file (`precondition_failed`).' },
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
      simplify(context);
      if (io === 'input') describeDefault(context);
      else openForExtension(context);
    },
  }) as Json;
  const definitions = $defs as Record<string, Json>;
  // An enumeration is the same in both directions.
  const nameOf = (id: string) => (io === 'input' && !definitions[id]?.enum ? `${id}Input` : id);
  const relink = (value: unknown) => {
    const linked = JSON.stringify(value).replace(
      /"#\/\$defs\/(\w+)"/g,
      (_, id: string) => `"#/components/schemas/${nameOf(id)}"`,
    );
    return divideTypes(JSON.parse(linked)) as Json;
  };
  for (const [id, definition] of Object.entries(definitions)) components.set(nameOf(id), relink(definition));
  return relink(root);
}

/** Writes a list of several types as branches: generators of code know no other list than one type and `null`. */
function divideTypes(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(divideTypes);
  if (typeof node !== 'object' || node === null) return node;
  const { type, ...rest } = Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, divideTypes(value)]),
  ) as Json;
  const isList = Array.isArray(type) && type.filter((one) => one !== 'null').length > 1;
  if (isList) return { ...rest, anyOf: (type as string[]).map((one) => ({ type: one })) };
  return type === undefined ? rest : { type, ...rest };
}

/** Removes the 53-bit bounds of integers, patterns of times, and branches that are the same on the way out. */
function simplify({ jsonSchema }: { jsonSchema: Json }): void {
  const { anyOf } = jsonSchema;
  if (Array.isArray(anyOf) && new Set(anyOf.map((branch) => JSON.stringify(branch))).size === 1) {
    delete jsonSchema.anyOf;
    Object.assign(jsonSchema, { ...anyOf[0], ...jsonSchema });
  }
  // The format says it, in a hundredth of the bytes.
  if (jsonSchema.format === 'date-time' || jsonSchema.format === 'date') delete jsonSchema.pattern;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}

/** Opens closed objects: answers may get more fields. Requests stay closed, as they are refused. */
function openForExtension({ jsonSchema }: { jsonSchema: Json }): void {
  if (jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
}

/** Moves a default to the description: generators take a request's field with a default for a required one. */
function describeDefault({ jsonSchema }: { jsonSchema: Json }): void {
  const { default: value, description = '' } = jsonSchema;
  if (value === undefined) return;
  delete jsonSchema.default;
  if (typeof value === 'object') return;
  jsonSchema.description = `${description} Default: \`${JSON.stringify(value)}\`.`.trim();
}
