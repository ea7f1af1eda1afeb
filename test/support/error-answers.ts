import { expect } from 'vitest';
import { ERROR_CATALOGUE, type ErrorCode } from '#contract';

const REQUEST_ID = /^req_[0-9A-Za-z]{22}$/;

/** Holds an error answer against its one shape: JSON, message, known code, request id; then returns its body. */
export function expectError(answer: { status: number; text: string }, code: ErrorCode): Record<string, unknown> {
  const body = JSON.parse(answer.text) as Record<string, unknown>;
  expect({ status: answer.status, code: body.code, error: body.error }).toEqual({
    status: ERROR_CATALOGUE[code].status,
    code,
    error: expect.stringMatching(/\S/),
  });
  expect(body.requestId).toMatch(REQUEST_ID);
  expect(answer.text).not.toMatch(/\n\s+at |node_modules|\.ts:\d|\/server\//);
  return body;
}
