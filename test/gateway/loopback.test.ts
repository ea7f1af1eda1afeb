import { expect, it } from 'vitest';
import { isLoopback, localUrl } from '../../server/gateway/index.ts';

it.each([
  ['127.0.0.1', 'http://127.0.0.1:8080', true],
  ['0.0.0.0', 'http://127.0.0.1:8080', false],
  ['::', 'http://[::1]:8080', false],
  ['::1', 'http://[::1]:8080', true],
  ['localhost', 'http://localhost:8080', true],
  ['192.0.2.7', 'http://192.0.2.7:8080', false],
  ['fd00::7', 'http://[fd00::7]:8080', false],
])('a server that listens on %s is reached at %s', (host, url, onlyHere) => {
  expect(localUrl(host, 8080)).toBe(url);
  expect(new URL(url).port).toBe('8080');
  expect(isLoopback(host)).toBe(onlyHere);
});
