import { logQuerySchema } from '#contract';
import { formatLogLine, type LogFormat, logHeader, type OperatorLog } from '../accounts/index.ts';
import { UsageError } from './options.ts';

/** Options that select lines, as shown in the help. */
export const LOG_USAGE = '[--account a@b.c] [--action NAME] [--from DAY] [--to DAY]';

const FORMATS: LogFormat[] = ['csv', 'jsonl'];

/** Returns the newest lines. @throws UsageError */
export async function showLog(log: OperatorLog, options: Record<string, string>) {
  return (await log.page(parse(options))).lines;
}

/**
 * Prints all lines as CSV or JSON lines, reading pages on demand.
 * @param printed the last printed line, after which a repeated attempt continues
 * @throws UsageError
 */
export async function printLog(
  log: OperatorLog,
  { format: wanted = 'jsonl', ...options }: Record<string, string>,
  printed: { last?: string },
  print: (text: string) => void = (text) => process.stdout.write(text),
): Promise<void> {
  const format = FORMATS.find((known) => known === wanted);
  if (!format) throw new UsageError(`expected --format to be ${FORMATS.join(' or ')}, but received ${wanted}`);
  const filter = parse(options);
  if (printed.last === undefined) print(logHeader(format));
  for await (const line of log.all(filter, printed.last)) {
    print(formatLogLine(format, line));
    printed.last = line.id;
  }
}

function parse(options: Record<string, string>) {
  const parsed = logQuerySchema.safeParse(options);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new UsageError(`--${issue?.path.join('.')}: ${issue?.message}`);
}
