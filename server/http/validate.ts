import type { z } from 'zod';
import { AppError } from '../errors.ts';

const SHOWN_CHARACTERS = 60;
/** Bounds the response to a list of 100,000 invalid elements. */
const SHOWN_ISSUES = 20;

/**
 * Parses one part of a request with its schema.
 * @param where name of the part in messages, e.g. `body`
 * @throws invalid_request with `errors`: messages by field, each with the expected and the received value
 */
export function validate<T>(schema: z.ZodType<T>, value: unknown, where: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const errors: Record<string, string[]> = {};
  for (const issue of parsed.error.issues.slice(0, SHOWN_ISSUES)) {
    const field = issue.path.length > 0 ? issue.path.map(String).join('.') : where;
    const list = errors[field] ?? [];
    const text = expected(issue);
    const isComplete = issue.code === 'unrecognized_keys' || text.includes(' received ');
    list.push(isComplete ? text : `${text}${received(value, issue.path)}`);
    errors[field] = list;
  }
  const [field = where, messages = []] = Object.entries(errors)[0] ?? [];
  throw new AppError('invalid_request', `${field}: ${messages[0] ?? 'is not as expected'}`, { details: { errors } });
}

/**
 * Describes the expected value, without zod's prefix and received type. For a union, describes the branches that match
 * the type of the value, or all if none does.
 */
function expected(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const first = issue.errors.flatMap((branch) => branch.slice(0, 1));
    const inside = first.filter(({ path }) => path.length > 0);
    const texts = (inside.length > 0 ? inside : first).map((one) =>
      [...one.path.map(String), expected(one)].join(': '),
    );
    return [...new Set(texts)].join(', or ');
  }
  return issue.message.replace(/^(Invalid \w+|Too \w+): /, '').replace(/(?<!but), received \w+$/, '');
}

/** Returns `, but received …` in one short line. Lists and objects are not printed, since they may be deeply nested. */
function received(root: unknown, path: PropertyKey[]): string {
  let value = root;
  for (const key of path) value = (value as Record<PropertyKey, unknown> | null | undefined)?.[key];
  if (value === undefined) return ', but received nothing';
  if (Array.isArray(value)) return `, but received a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return ', but received an object';
  const text = JSON.stringify(value) ?? String(value);
  return `, but received ${text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text}`;
}
