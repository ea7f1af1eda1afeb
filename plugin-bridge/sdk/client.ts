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

/** Creates a client of the service. Sends nothing by itself. Every method throws ApiError or ConnectionError. */
export function createClient(options: ClientOptions) {
  const requester = createRequester(options);
  return {
    ...createImageMethods(requester),
    ...createAccountMethods(requester),
    ...createShareMethods(requester),
  };
}

/** Client of the service, with one method per endpoint. */
export type Client = ReturnType<typeof createClient>;
