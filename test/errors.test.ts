import { expect, it } from 'vitest';
import { toWireError } from '../server/errors.ts';

it.each([
  ['a file', { code: 'ENOSPC' }, 507, 'insufficient_storage'],
  ['a quota', { code: 'EDQUOT' }, 507, 'insufficient_storage'],
  ['the database', { name: 'MongoServerError', code: 14031 }, 507, 'insufficient_storage'],
  ['a bulk write', { name: 'MongoBulkWriteError', code: 14031, writeErrors: [{}] }, 507, 'insufficient_storage'],
])('a full disk under %s is reported as such', (_name, fields, status, code) => {
  const wire = toWireError(Object.assign(new Error('No space left on device'), fields), 'req_1');
  expect([wire.status, wire.body.code]).toEqual([status, code]);
});

it('an unknown error has no details in its response', () => {
  const wire = toWireError(new Error('secret detail'), 'req_1');
  expect(wire.status).toBe(500);
  expect(JSON.stringify(wire.body)).not.toContain('secret');
});
