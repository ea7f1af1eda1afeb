// Owns the settings; the only reader of the environment. Must not know more of the modules than their config.ts.

import leven from 'leven';
import type { z } from 'zod';
import { type Config, expectedValue, listSettings, MODULE_SETTINGS } from './settings-table.ts';

export { type Config, listSettings, type Setting } from './settings-table.ts';

/** Thrown if environment variables are invalid; the message lists all of them. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  /** One line per invalid variable. */
  readonly faults: readonly string[];

  constructor(faults: readonly string[]) {
    super(`The configuration has ${faults.length} fault(s):\n${faults.map((fault) => `  ${fault}`).join('\n')}`);
    this.faults = faults;
  }
}

/** A setting with a wrong value. */
export interface SettingFault {
  name: string;
  /** What was expected, as part of a sentence. Repeats no value. */
  expected: string;
  /** What was received, for messages; secrets are not repeated. */
  received: string;
}

/** The settings, as far as they are valid. */
export interface InspectedSettings {
  /** Without the modules that have a fault. */
  config: Partial<Config>;
  faults: SettingFault[];
}

/**
 * Reads the settings of all modules from environment variables. An empty variable counts as not set; unknown variables are
 * ignored.
 */
export function inspectSettings(env: NodeJS.ProcessEnv): InspectedSettings {
  const faults: SettingFault[] = [];
  const parsed = Object.entries(MODULE_SETTINGS).flatMap(([module, schema]) => {
    const given = Object.keys(schema.shape).flatMap((name) => {
      const value = env[name]?.trim();
      return value ? [[name, value] as const] : [];
    });
    const result = (schema as z.ZodObject).safeParse(Object.fromEntries(given));
    if (result.success) return [[module, result.data]];
    faults.push(...describeFaults(schema, result.error, Object.fromEntries(given)));
    return [];
  });
  return { config: Object.fromEntries(parsed) as Partial<Config>, faults };
}

/**
 * Reads the settings as {@link inspectSettings} does.
 * @throws ConfigError that lists every fault at once
 */
export function loadConfig(env: NodeJS.ProcessEnv): Config {
  const { config, faults } = inspectSettings(env);
  if (faults.length === 0) return config as Config;
  throw new ConfigError(faults.map(({ name, expected, received }) => `${name}: ${expected}, but received ${received}`));
}

function describeFaults(schema: z.ZodObject, error: z.ZodError, given: Record<string, string>): SettingFault[] {
  const byName = new Map(error.issues.map((issue) => [String(issue.path[0]), issue]));
  return [...byName].map(([name, issue]) => {
    const expected = expectation(issue, schema.shape[name] as z.ZodType);
    return { name, expected, received: shown(name, given[name] ?? '') };
  });
}

/** Prefers the schema's own message, then zod's for a nested value, then the expected type. */
function expectation({ message, path }: z.core.$ZodIssue, field: z.ZodType): string {
  if (message.startsWith('expected')) return message;
  if (path.length > 1) return `at ${path.slice(1).join('.')}: ${message}`;
  return `expected ${expectedValue(field).replaceAll('`', '')}`;
}

/** Formats a received value; secrets are not repeated. */
function shown(name: string, value: string): string {
  return /URI|KEY|SECRET|PEPPER|PASSWORD|TOKEN|SMTP/.test(name)
    ? `${value.length} other characters`
    : JSON.stringify(value.replace(/\/\/[^/@]*@/, '//***@'));
}

/** A variable that is no setting, and the setting that it resembles. */
export interface NearMiss {
  given: string;
  meant: string;
}

/** Characters of a name per mistake that is tolerated. */
const LENGTH_PER_MISTAKE = 3.5;
const SHORTEST = 6;

/** Finds set variables whose names are nearly those of settings, since a wrong name would be ignored. */
export function findNearMisses(env: NodeJS.ProcessEnv): NearMiss[] {
  const settings = listSettings().map(({ name }) => name);
  const unknown = Object.keys(env).filter((name) => /^[A-Z][A-Z0-9_]+$/.test(name) && !settings.includes(name));
  return unknown.flatMap((given) => {
    const meant = settings.find((name) => resembles(given, name));
    // A program around this one may have a variable of a like name; if the setting itself is set, that one counts.
    return meant && !env[meant] ? [{ given, meant }] : [];
  });
}

function resembles(given: string, setting: string): boolean {
  const most = Math.floor(setting.length / LENGTH_PER_MISTAKE);
  return setting.length >= SHORTEST && leven(given, setting, { maxDistance: most + 1 }) <= most;
}
