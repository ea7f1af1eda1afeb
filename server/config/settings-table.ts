import { z } from 'zod';
import { accountsConfig } from '../accounts/config.ts';
import { analysisConfig } from '../analysis/config.ts';
import { dbConfig } from '../db/config.ts';
import { exportsConfig } from '../exports/config.ts';
import { gatewayConfig } from '../gateway/config.ts';
import { httpConfig } from '../http/config.ts';
import { jobsConfig } from '../jobs/config.ts';
import { mailConfig } from '../mail/config.ts';
import { observabilityConfig } from '../observability/config.ts';
import { processingConfig } from '../processing/config.ts';
import { sessionsConfig } from '../sessions/config.ts';
import { signInConfig } from '../sign-in/config.ts';
import { storageConfig } from '../storage/config.ts';

/** Settings schema of each module, by its name in {@link Config}. */
export const MODULE_SETTINGS = {
  http: httpConfig,
  storage: storageConfig,
  db: dbConfig,
  accounts: accountsConfig,
  signIn: signInConfig,
  mail: mailConfig,
  gateway: gatewayConfig,
  sessions: sessionsConfig,
  processing: processingConfig,
  jobs: jobsConfig,
  exports: exportsConfig,
  analysis: analysisConfig,
  observability: observabilityConfig,
} as const;

/** The parsed settings of all modules, e.g. `config.http.PORT`. */
export type Config = { [Module in keyof typeof MODULE_SETTINGS]: z.output<(typeof MODULE_SETTINGS)[Module]> };

/** One environment variable, as the documentation shows it. */
export interface Setting {
  module: string;
  name: string;
  /** Accepted values, in words. */
  expected: string;
  /** Default in words; if it depends on the machine, the text after "Default:" in the description. */
  default: string;
  description: string;
}

/** Lists every environment variable that the service reads. */
export function listSettings(): Setting[] {
  return Object.entries(MODULE_SETTINGS).flatMap(([module, schema]) =>
    Object.entries(schema.shape).map(([name, field]) => {
      const [description = '', stated] = (field.description ?? '').split(/ ?Default: (.*)\.$/);
      return { module, name, expected: expectedValue(field), default: stated ?? defaultOf(field), description };
    }),
  );
}

/** Describes the accepted values of a setting, e.g. `a whole number from 1 to 10`. */
export function expectedValue(field: z.ZodType): string {
  return inWords(z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' }));
}

type JsonSchema = z.core.JSONSchema.BaseSchema;

function inWords(schema: JsonSchema): string {
  if (schema.anyOf) return schema.anyOf.map((option) => inWords(option as JsonSchema)).join(' or ');
  if (schema.const !== undefined) return `\`${schema.const}\``;
  if (schema.enum) return `one of ${schema.enum.map((option) => `\`${option}\``).join(', ')}`;
  if (schema.type === 'integer') return `a whole number from ${schema.minimum} to ${schema.maximum}`;
  if (schema.type === 'number') return 'a number';
  return schema.format === 'uri' ? 'a URL' : 'text';
}

function defaultOf(field: z.ZodType): string {
  const { data } = field.safeParse(undefined);
  if (data === undefined) return 'none';
  return `\`${typeof data === 'object' ? JSON.stringify(data) : data}\``;
}
