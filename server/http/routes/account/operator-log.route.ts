import { Readable } from 'node:stream';
import type { Context } from 'koa';
import type { LogFilter } from '#contract';
import { formatLogLine, type LogFormat, logHeader } from '../../../accounts/index.ts';
import { defineRoute } from '../../define-route.ts';
import type { Services } from '../../services.ts';

const TYPES = { csv: 'text/csv; charset=utf-8; header=present', jsonl: 'application/x-ndjson; charset=utf-8' };

/** `GET /account/operator/log`. */
export const listOperatorLogRoute = defineRoute('listOperatorLog', ({ query }, { accounts }) =>
  accounts.operatorLog.page(query),
);

/** `GET /account/operator/log.csv`. */
export const exportOperatorLogRoute = defineRoute('exportOperatorLog', async ({ ctx, query }, services) =>
  send(ctx, 'csv', query, services),
);

/** `GET /account/operator/log.jsonl`. */
export const exportOperatorLogLinesRoute = defineRoute('exportOperatorLogLines', async ({ ctx, query }, services) =>
  send(ctx, 'jsonl', query, services),
);

/** Streams the log, so that a long one needs no memory. */
function send(ctx: Context, format: LogFormat, filter: LogFilter, { accounts }: Services): void {
  ctx.set({
    'Content-Type': TYPES[format],
    'Content-Disposition': `attachment; filename="imagewright-operator-log-${new Date().toISOString().slice(0, 10)}.${format}"`,
    'X-Content-Type-Options': 'nosniff',
  });
  ctx.status = 200;
  ctx.body = Readable.from(linesOf(format, accounts.operatorLog.all(filter)));
}

async function* linesOf(format: LogFormat, lines: AsyncIterable<Parameters<typeof formatLogLine>[1]>) {
  const header = logHeader(format);
  if (header) yield header;
  for await (const line of lines) yield formatLogLine(format, line);
}
