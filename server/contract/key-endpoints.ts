import { z } from 'zod';
import { apiKeyListSchema, apiKeySchema, createdKeySchema, keyPatchSchema, newKeySchema } from './account.ts';
import type { Endpoint } from './endpoint.ts';
import { keyIdSchema } from './ids.ts';

const base = { tag: 'Account', auth: 'login', idempotent: false, errors: [] } as const;
const ofKey = z.object({ keyId: keyIdSchema });

/** The endpoints of an account's API keys. */
export const KEY_ENDPOINTS = {
  listKeys: {
    ...base,
    method: 'GET',
    path: '/account/keys',
    summary: 'List the API keys of the account, oldest first',
    success: { status: 200, kind: 'json', schema: apiKeyListSchema },
  },
  createKey: {
    ...base,
    method: 'POST',
    path: '/account/keys',
    summary: 'Create an API key; it is shown in this response only',
    body: newKeySchema,
    success: { status: 201, kind: 'json', schema: createdKeySchema },
    errors: ['key_limit_reached', 'password_required'],
  },
  updateKey: {
    ...base,
    method: 'PATCH',
    path: '/account/keys/:keyId',
    summary: 'Rename, deactivate or activate an API key',
    params: ofKey,
    body: keyPatchSchema,
    success: { status: 200, kind: 'json', schema: apiKeySchema },
    errors: ['not_found', 'key_limit_reached', 'password_required'],
  },
  deleteKey: {
    ...base,
    method: 'DELETE',
    path: '/account/keys/:keyId',
    summary: 'Delete an API key; requests with it get 401 from then on',
    params: ofKey,
    success: { status: 204, kind: 'empty' },
    errors: ['not_found'],
  },
} as const satisfies Record<string, Endpoint>;
