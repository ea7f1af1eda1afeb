type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Compares a result with what a specification expects. Its roots may have more fields than expected; `$$…` are the matchers of the
 * unified test format.
 */
export function isExpected(expected: unknown, actual: unknown, isRoot = true): boolean {
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual) || actual.length !== expected.length) return false;
    return expected.every((item, index) => isExpected(item, actual[index], isRoot));
  }
  if (!isFields(expected)) return Object.is(expected, actual) || expected === actual;
  const [matcher = ''] = Object.keys(expected);
  if (matcher.startsWith('$$')) return meetsMatcher(matcher, expected[matcher], actual);
  if (!isFields(actual)) return false;
  if (!isRoot && Object.keys(actual).some((name) => !(name in expected))) return false;
  return Object.keys(expected).every((name) => isExpected(expected[name], actual[name], false));
}

function meetsMatcher(matcher: string, operand: unknown, actual: unknown): boolean {
  if (matcher === '$$unsetOrMatches') return actual === undefined || actual === null || isExpected(operand, actual);
  if (matcher === '$$exists') return (actual !== undefined) === operand;
  if (matcher === '$$type') return actual !== undefined;
  throw new Error(`the matcher ${matcher} is not known here`);
}
