import type { Endpoint } from './endpoint.ts';
import { ENDPOINTS } from './endpoints.ts';
import { collectErrors } from './openapi-errors.ts';
import { HEADERS } from './openapi-headers.ts';
import { operationOf } from './openapi-operations.ts';
import { ERROR_CODE_SCHEMA, ERROR_SCHEMA, type Json } from './openapi-schemas.ts';

const TAGS: Record<Endpoint['tag'], string> = {
  Sessions: 'Uploads, and what is known of their images.',
  Analysis: 'Descriptions of images.',
  Export: 'Samples, exports and their files.',
  Jobs: 'Running and finished work.',
  Credits: 'Balance, prices and the ledger.',
  Shares: 'Links to a session for people without an account.',
  Account: 'The account of a person who is logged in.',
  Operator: 'Accounts of this service, for its operators.',
  Service: 'This document.',
};

/** Options of the document. */
interface DocumentOptions {
  /** True if uploads may name URLs in a JSON body. Off by default: generators would prefer that body to files. */
  urlImport?: boolean;
}

/** An OpenAPI 3.1 document. */
export type OpenApiDocument = Json;

/** Builds the OpenAPI 3.1 document from the endpoint table, with the schemas of the validation. */
export function buildOpenApi(version: string, { urlImport = false }: DocumentOptions = {}): OpenApiDocument {
  const components = new Map<string, Json>();
  const errors = collectErrors(ENDPOINTS);
  const paths: Record<string, Json> = {};
  for (const [name, endpoint] of Object.entries(ENDPOINTS) as [string, Endpoint][]) {
    const path = endpoint.path.replace(/:(\w+)/g, '{$1}');
    paths[path] = {
      ...paths[path],
      [endpoint.method.toLowerCase()]: operationOf(name, endpoint, { components, errors, urlImport }),
    };
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Imagewright',
      version,
      description:
        'Compress, convert, rename and describe images. Streams are Server-Sent Events of three kinds: `progress` ' +
        '(ProgressEvent), `complete` (CompleteEvent, AnalysisCompleteEvent) and `error` (ErrorEvent, AnalysisErrorEvent); exactly one of the last two ends a stream. `x-events` of a stream names their schemas.',
      contact: { name: 'The operator of this service' },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: '/' }],
    security: [{ apiKey: [] }, { login: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' },
        share: {
          type: 'apiKey',
          in: 'header',
          name: 'X-Share-Token',
          description: 'The part of a link to a session behind `#`.',
        },
        login: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-imagewright',
          description:
            'Set by logging in; `imagewright-login` over plain HTTP on the own machine. Accepted from pages of this service only: by `Sec-Fetch-Site`, else by `Origin`.',
        },
      },
      headers: HEADERS,
      responses: errors.responses,
      schemas: Object.fromEntries(
        [...components, ['ErrorBody', ERROR_SCHEMA] as const, ['ErrorCode', ERROR_CODE_SCHEMA] as const].sort(
          ([a], [b]) => a.localeCompare(b),
        ),
      ),
    },
  };
}
