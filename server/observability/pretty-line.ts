const LEVELS: Record<number, string> = { 10: 'TRACE', 20: 'DEBUG', 30: 'INFO ', 40: 'WARN ', 50: 'ERROR', 60: 'FATAL' };
const FIXED_FIELDS = new Set(['level', 'time', 'msg', 'err', 'error']);

/** Formats a JSON log line as time, level, message and `field=value` pairs, with the stack of an error below. */
export function prettyLine(line: string): string {
  const entry = parse(line);
  if (!entry) return line;
  const time = new Date(entry.time as number | string).toISOString().slice(11, 23);
  const fields = Object.entries(entry)
    .filter(([name]) => !FIXED_FIELDS.has(name))
    .map(([name, value]) => ` ${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const head = `${time} ${LEVELS[entry.level as number] ?? entry.level} ${entry.msg ?? ''}${fields.join('')}\n`;
  return head + errorLines(entry.err ?? entry.error);
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

function errorLines(error: unknown): string {
  if (error === undefined) return '';
  const { stack, message } = (error ?? {}) as { stack?: string; message?: string };
  const text = stack ?? message ?? JSON.stringify(error);
  return `${text.replace(/^/gm, '    ')}\n`;
}
