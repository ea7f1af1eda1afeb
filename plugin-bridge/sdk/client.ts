import { type ClientOptions, createRequester } from './core/request.ts';
import { createAnalysisMethods } from './resources/analysis.ts';
import { createCreditMethods } from './resources/credits.ts';
import { createExportMethods } from './resources/exports.ts';
import { createJobMethods } from './resources/jobs.ts';
import { createSessionMethods } from './resources/sessions.ts';

/** Creates a client of the service. Sends nothing by itself. Every method throws ApiError or ConnectionError. */
export function createClient(options: ClientOptions) {
  const requester = createRequester(options);
  return {
    ...createSessionMethods(requester),
    ...createAnalysisMethods(requester),
    ...createExportMethods(requester),
    ...createJobMethods(requester),
    ...createCreditMethods(requester),
  };
}

/** Client of the service, with one method per endpoint. */
export type Client = ReturnType<typeof createClient>;
