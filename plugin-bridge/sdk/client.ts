import { type ClientOptions, createTransport } from './core/request.ts';
import { createAnalysisMethods } from './resources/analysis.ts';
import { createCreditMethods } from './resources/credits.ts';
import { createExportMethods } from './resources/exports.ts';
import { createJobMethods } from './resources/jobs.ts';
import { createSessionMethods } from './resources/sessions.ts';

/** Makes a client of the service. Sends nothing by itself. Every method throws ApiError or ConnectionError. */
export function createClient(options: ClientOptions) {
  const transport = createTransport(options);
  return {
    ...createSessionMethods(transport),
    ...createAnalysisMethods(transport),
    ...createExportMethods(transport),
    ...createJobMethods(transport),
    ...createCreditMethods(transport),
  };
}

/** A client of the service, one method for each endpoint. */
export type Client = ReturnType<typeof createClient>;
