import type { OpenApiDocument } from '#contract';
import type { Services } from '../services.ts';
import { createDocument } from './document.ts';

/** Creates what sends the OpenAPI document, compressed and with a validator. */
export function createOpenApi(document: OpenApiDocument): Services['openApi'] {
  const read = async () => Buffer.from(JSON.stringify(document));
  return { document, send: createDocument({ type: 'application/json; charset=utf-8', read }) };
}
