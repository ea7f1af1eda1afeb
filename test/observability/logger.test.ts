import { describe, expect, it } from 'vitest';
import { AppError } from '../../server/errors.ts';
import { createLogger, newRequestId } from '../../server/observability/index.ts';

const API_KEY = `iw_${'0123456789abcdefABCDEFghijklmnop'}WXYZ`;
const MASKED = 'iw_…WXYZ';

function collectingLogger(format: 'json' | 'pretty' = 'json') {
  const lines: string[] = [];
  const logger = createLogger({ level: 'info', format, destination: { write: (line) => lines.push(line) } });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? '') as Record<string, unknown> };
}

describe('createLogger', () => {
  it('writes one JSON object a line, with level, time, message and fields', () => {
    const { logger, lines, last } = collectingLogger();
    logger.info({ requestId: 'req_1' }, 'request finished');
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/\n$/);
    expect(last()).toMatchObject({ level: 30, requestId: 'req_1', msg: 'request finished' });
    expect(Date.parse(String(last().time))).not.toBeNaN();
  });

  it('leaves out what is below its level', () => {
    const { logger, lines } = collectingLogger();
    logger.debug('noise');
    expect(lines).toHaveLength(0);
  });

  it('masks an API key in messages, nested objects, arrays, field names, errors, causes and children', () => {
    const { logger, lines } = collectingLogger();
    logger.info(`key ${API_KEY} was used`);
    logger.info({ a: { b: [{ c: `x${API_KEY}` }] }, [API_KEY]: true }, 'nested');
    logger.error({ err: new Error(`bad key ${API_KEY}`, { cause: new Error(API_KEY) }) });
    logger.error(new AppError('invalid_api_key', 'no', { details: { key: API_KEY } }));
    logger.child({ key: API_KEY }).warn('%s', API_KEY);
    logger.info({ body: JSON.stringify({ key: API_KEY }) });
    expect(lines).toHaveLength(6);
    for (const line of lines) {
      expect(line).not.toContain(API_KEY);
      expect(line).toContain(MASKED);
      expect(() => JSON.parse(line)).not.toThrow();
    }
  });

  it('masks the tokens of log-ins, links and pages, and passwords in URLs', () => {
    const { logger, lines } = collectingLogger();
    const token = 'a1B2'.repeat(11).slice(0, 43);
    logger.warn({ url: `http://x/dashboard/reset#token=iwl_${token}`, cookie2: `x=iws_${token}`, key: `iwt_${token}` });
    logger.error({ err: new Error('cannot reach smtps://user:p%40ss@mail.example.com:465') });
    expect(lines.join('')).not.toMatch(/a1B2|p%40ss/);
    expect(lines[0]).toContain('#token=iwl_…');
    expect(lines[1]).toContain('smtps://user:…@mail.example.com:465');
  });

  it('redacts credential headers at any depth, whatever their case and form', () => {
    const { logger, lines, last } = collectingLogger();
    const headers = {
      'X-API-Key': 'secret"1\\',
      authorization: 'Bearer secret2',
      Cookie: 'session=secret3',
      'set-cookie': ['a="secret4"]', 'b=secret5'],
      accept: 'text/html',
    };
    logger.info({ headers, deep: { request: { headers } } });
    expect(lines[0]).not.toContain('secret');
    expect(last().headers).toEqual({
      'X-API-Key': '[redacted]',
      authorization: '[redacted]',
      Cookie: '[redacted]',
      'set-cookie': '[redacted]',
      accept: 'text/html',
    });
  });

  it('writes an error with type, code and stack, under `err` and under `error`', () => {
    const { logger, last } = collectingLogger();
    for (const field of ['err', 'error']) {
      logger.error({ [field]: new AppError('not_found', 'no such path') });
      expect(last()[field]).toMatchObject({ code: 'not_found', message: 'no such path' });
      expect(last()[field]).toHaveProperty('stack', expect.stringContaining('logger.test.ts'));
    }
  });

  it('writes readable lines for people, masked too', () => {
    const { logger, lines } = collectingLogger('pretty');
    logger.warn({ jobId: 'job_1', n: 2, err: new Error(`broken ${API_KEY}`) }, 'job failed');
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d\.\d{3} WARN {2}job failed jobId=job_1 n=2\n {4}Error: broken iw_…WXYZ\n {4} {4}at /,
    );
  });
});

describe('newRequestId', () => {
  it('makes a new id each time', () => {
    expect(newRequestId()).toMatch(/^req_[0-9A-Za-z]{22}$/);
    expect(newRequestId()).not.toBe(newRequestId());
  });
});
