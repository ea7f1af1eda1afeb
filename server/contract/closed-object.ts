import leven from 'leven';
import { z } from 'zod';

/** Largest number of changed letters, as a part of the name's length, at which a name is proposed. */
const LARGEST_CHANGE = 0.4;

/** Creates the schema of an object without other fields. The message of an unknown field proposes the nearest known one. */
export function closedObject<Shape extends z.core.$ZodLooseShape>(shape: Shape) {
  const error = (issue: z.core.$ZodRawIssue) =>
    issue.code === 'unrecognized_keys' ? describeUnknown(issue.keys, Object.keys(shape)) : undefined;
  return z.strictObject(shape, { error });
}

/**
 * Creates the schema of an object that may also have fields of an answer, which are dropped unread: what the service has sent may be
 * sent back whole. Other fields are refused as by {@link closedObject}.
 */
export function echoedObject<Shape extends z.core.$ZodLooseShape>(shape: Shape, answered: z.ZodObject) {
  const known = Object.keys(shape);
  const isUnknown = (name: string) => !known.includes(name) && !Object.hasOwn(answered.shape, name);
  const schema = z
    .looseObject(shape)
    .check(({ value, issues }) => {
      const keys = Object.keys(value).filter(isUnknown);
      if (keys.length > 0)
        issues.push({ code: 'unrecognized_keys', keys, input: value, message: describeUnknown(keys, known) });
    })
    .overwrite(
      (value) => Object.fromEntries(Object.entries(value).filter(([name]) => known.includes(name))) as typeof value,
    )
    .meta({ additionalProperties: false });
  return schema as unknown as z.ZodObject<Shape, z.core.$strict>;
}

function describeUnknown(keys: string[], known: string[]): string {
  const [first = ''] = keys;
  const found = nearestName(first, known);
  const proposal = found ? `did you mean ${found}?` : `expected only ${known.join(', ')}`;
  return `unknown field ${JSON.stringify(first.slice(0, 40))}; ${proposal}`;
}

/** Returns the known name with the fewest changed letters, ignoring case; undefined if none is near. */
function nearestName(name: string, known: string[]): string | undefined {
  const maxDistance = Math.ceil(name.length * LARGEST_CHANGE);
  const distance = (one: string) => leven(name.toLowerCase(), one.toLowerCase(), { maxDistance: maxDistance + 1 });
  const [nearest] = [...known].sort((a, b) => distance(a) - distance(b));
  return nearest !== undefined && name.length <= 60 && distance(nearest) <= maxDistance ? nearest : undefined;
}
