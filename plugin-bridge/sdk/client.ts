import { type ClientOptions, createRequester, type Requester } from './core/request.ts';
import { createAccountMethods } from './resources/account.ts';
import { createAnalysisMethods } from './resources/analysis.ts';
import { createCreditMethods } from './resources/credits.ts';
import { createExportMethods } from './resources/exports.ts';
import { createJobMethods } from './resources/jobs.ts';
import { createSessionMethods } from './resources/sessions.ts';
import { createShareMethods } from './resources/shares.ts';

function createImageMethods(requester: Requester) {
  return {
    ...createSessionMethods(requester),
    ...createAnalysisMethods(requester),
    ...createExportMethods(requester),
    ...createJobMethods(requester),
    ...createCreditMethods(requester),
  };
}

/** Creates the part of the client that works on images: all that the element needs, so that it loads no more. */
export function createImageClient(options: ClientOptions) {
  return createImageMethods(createRequester(options));
}

/**
 * Creates a client of the service. Sends nothing by itself. Every method throws ApiError or ConnectionError.
 * @throws TypeError without an endpoint
 */
export function createClient(options: ClientOptions) {
  const given: unknown = (options as ClientOptions | undefined)?.endpoint;
  if (typeof given !== 'string') {
    throw new TypeError(`createClient: expected { endpoint: 'https://…' }, but received the endpoint ${given}`);
  }
  // Paths begin with the version, and the address of a service is often copied with it. The path of a proxy may end so too.
  const requester = createRequester({ ...options, endpoint: given.replace(/^(https?:\/\/[^/]+)\/v1\/*$/, '$1') });
  return {
    ...createImageMethods(requester),
    ...createAccountMethods(requester),
    ...createShareMethods(requester),
  };
}

/** Client of the service, with one method per endpoint. */
export type Client = ReturnType<typeof createClient>;
