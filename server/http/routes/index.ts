import { ENDPOINTS, type Endpoint, type EndpointName } from '#contract';
import type { Handlers, RouteInput, Services } from '../handlers.ts';
import { ACCOUNT_ROUTES } from './account.ts';
import { JOB_ROUTES } from './jobs.ts';
import { OPERATOR_ROUTES } from './operator.ts';
import { SERVICE_ROUTES } from './service.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { SHARE_ROUTES } from './shares.ts';
import { SIGN_IN_ROUTES } from './sign-in.ts';

/** A row of the endpoint table with its handler. */
export interface Route {
  name: EndpointName;
  endpoint: Endpoint;
  handle(input: RouteInput<never>, services: Services): Promise<unknown>;
}

/** An endpoint without a handler does not compile. */
const HANDLERS: Handlers = {
  ...SESSION_ROUTES,
  ...JOB_ROUTES,
  ...SERVICE_ROUTES,
  ...SHARE_ROUTES,
  ...SIGN_IN_ROUTES,
  ...ACCOUNT_ROUTES,
  ...OPERATOR_ROUTES,
};

/** The routes of all endpoints, in the order of the endpoint table. */
export const ROUTES: Route[] = (Object.keys(ENDPOINTS) as EndpointName[]).map((name) => ({
  name,
  endpoint: ENDPOINTS[name],
  handle: HANDLERS[name] as Route['handle'],
}));
