import type { Context } from 'koa';
import type { z } from 'zod';
import { ENDPOINTS, type Endpoint, type EndpointName } from '#contract';
import type { Caller, GatewayState } from '../gateway/index.ts';
import type { Services } from './services.ts';

type Entry<N extends EndpointName> = (typeof ENDPOINTS)[N];
type Parsed<E, Part extends string> = E extends Record<Part, infer S extends z.ZodType> ? z.output<S> : undefined;

type ShareOf<N extends EndpointName> = Entry<N>['auth'] extends 'share'
  ? NonNullable<GatewayState['share']>
  : undefined;

/** Input of a handler: the parsed parts of the request and its account. */
export interface RouteInput<N extends EndpointName> {
  ctx: Context;
  /** Account of the request's key or cookie; absent only where the endpoint's `auth` is `none`. */
  account: Caller;
  /** Browser session of the request's cookie; present only where the endpoint's `auth` is `login` or `operator`. */
  loginId: string;
  /** True for a log-in of an operator. */
  isOperator: boolean;
  /** True for an operator who has not given the password within the last minutes. */
  mustConfirm: boolean;
  /** Link of the visitor; present only where the endpoint's `auth` is `share`. */
  share: ShareOf<N>;
  params: Parsed<Entry<N>, 'params'>;
  query: Parsed<Entry<N>, 'query'>;
  /** The parsed JSON body; undefined for endpoints that read their body themselves. */
  body: Entry<N>['bodyKind'] extends 'json' ? Parsed<Entry<N>, 'body'> : undefined;
}

/** Returns the JSON body, or writes the response to `ctx` and returns undefined. */
type Handler<N extends EndpointName> = (input: RouteInput<N>, services: Services) => Promise<unknown>;

/** A row of the endpoint table with its handler. */
export interface Route {
  name: EndpointName;
  endpoint: Endpoint;
  handle(input: RouteInput<never>, services: Services): Promise<unknown>;
}

/** Connects a handler with its row of the endpoint table. */
export function defineRoute<N extends EndpointName>(name: N, handle: Handler<N>): Route {
  return { name, endpoint: ENDPOINTS[name], handle: handle as Route['handle'] };
}
