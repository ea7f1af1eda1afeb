import { expect, test } from 'vitest';
import { ApiError, ConnectionError } from '../../../plugin-bridge/sdk/index.ts';
import { createI18n, loadLocale } from '../../../widget/i18n/index.ts';
import { toOptimizerError } from '../../../widget/state/errors.ts';

const { t } = createI18n({ locale: 'en', messages: await loadLocale('en') });
const fromApi = (status: number, code?: string, details: object = {}) =>
  toOptimizerError(new ApiError('x', status, code ? { code, ...details } : {}), t);

test.each([
  [401, 'invalid_api_key', 'unauthorized'],
  [402, 'insufficient_credits', 'insufficient_credits'],
  [403, 'inactive_api_key', 'key_inactive'],
  [403, 'account_suspended', 'key_inactive'],
  // A CMS' proxy: its own session has ended.
  [403, 'rest_cookie_invalid_nonce', 'unauthorized'],
  [404, 'session_not_found', 'not_found'],
  [400, 'sample_limit_exceeded', 'sample_limit'],
  [400, 'url_import_disabled', 'unsupported'],
  [413, 'file_too_large', 'too_large'],
  [415, 'unsupported_image', 'invalid_image'],
  [422, 'too_many_pixels', 'invalid_image'],
  [429, 'rate_limited', 'throttled'],
  [500, 'internal_error', 'server'],
  [503, 'overloaded', 'server'],
  [400, 'a_code_of_tomorrow', 'server'],
  [200, undefined, 'bad_response'],
  [502, undefined, 'bad_response'],
  [401, undefined, 'unauthorized'],
  [413, undefined, 'too_large'],
  [429, undefined, 'throttled'],
])('%i %s is %s, with a sentence for people', (status, serviceCode, code) => {
  const error = fromApi(status, serviceCode);
  expect(error).toMatchObject({ code, status });
  expect(error.message).toMatch(/^[A-Z].+\.$/);
  expect(error.message).not.toMatch(/error\.\w/);
});

test('an image with too many pixels for a format is told so: trying again would not help, another format does', () => {
  const failure = { code: 'output_too_large', message: 'WebP holds at most 16383 pixels a side' };
  expect(toOptimizerError(failure, t).message).toBe(t('error.output_too_large'));
  expect(t('error.output_too_large')).toMatch(/format.*another one/);
});

test.each(['network', 'timeout', 'stream_interrupted', 'aborted'] as const)('a lost connection is %s', (code) => {
  const error = toOptimizerError(new ConnectionError(code), t);
  expect(error).toMatchObject({ code, status: null, retryable: code !== 'aborted' });
});

test('the numbers of a 402 are there, as far as the answer has them', () => {
  expect(fromApi(402, 'insufficient_credits', { balance: 3, required: 12, shortfall: 9 })).toMatchObject({
    balance: 3,
    required: 12,
    shortfall: 9,
  });
  expect(fromApi(402, 'insufficient_credits')).not.toHaveProperty('balance');
});

test('anything that is thrown becomes an error that can be shown', () => {
  for (const thrown of [undefined, null, 'text', new TypeError('x'), { code: 7 }]) {
    expect(toOptimizerError(thrown, t)).toMatchObject({ code: 'server', message: t('error.server') });
  }
  expect(toOptimizerError(new DOMException('x', 'AbortError'), t).code).toBe('aborted');
});
