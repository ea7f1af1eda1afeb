import { z } from 'zod';

const made = new Map<string, z.ZodEnum>();

/** Returns the schema of one of some texts that has a name in the OpenAPI document, so that generated clients give it the same type everywhere. */
export function namedEnum<const Values extends readonly string[]>(id: string, values: Values) {
  const schema = made.get(id) ?? z.enum(values).meta({ id });
  made.set(id, schema);
  return schema as z.ZodEnum<{ [Value in Values[number]]: Value }>;
}
