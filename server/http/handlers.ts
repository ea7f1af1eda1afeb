import type { Context } from 'koa';
import type { z } from 'zod';
import type {
  AccountOptions,
  ENDPOINTS,
  EndpointName,
  InstallationCheck,
  Limits,
  OpenApiDocument,
  ServiceState,
} from '#contract';
import type { AccountRemoval, Accounts } from '../accounts/index.ts';
import type { AnalyzeImages } from '../analysis/index.ts';
import type { Exports } from '../exports/index.ts';
import type { Caller, Gateway, GatewayState } from '../gateway/index.ts';
import type { Jobs } from '../jobs/index.ts';
import type { Logger, Metrics } from '../observability/index.ts';
import type { SessionDisposal, Sessions, UrlImporter } from '../sessions/index.ts';
import type { Shares } from '../shares/index.ts';
import type { SignIn } from '../sign-in/index.ts';
import type { StreamRegistry } from '../sse/index.ts';
import type { ObjectStore, WriteProbe } from '../storage/index.ts';
import type { OpenRequests } from './client-limits.ts';
import type { HttpConfig } from './config.ts';
import type { ArrivingBytes } from './uploads/arriving-bytes.ts';

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
  body: Entry<N> extends { takesFiles: true } ? undefined : Parsed<Entry<N>, 'body'>;
}

type Answer<E> = E extends { success: { schema: infer S extends z.ZodType } } ? z.output<S> : never;

/** Handles the requests of an endpoint: returns the JSON body, or writes the response to `ctx` and returns nothing. */
export type Handler<N extends EndpointName> = (
  input: RouteInput<N>,
  services: Services,
  // biome-ignore lint/suspicious/noConfusingVoidType: a handler that writes to `ctx` has no value to return
) => Promise<Answer<Entry<N>> | void>;

/** The handlers of all endpoints. */
export type Handlers = { [N in EndpointName]: Handler<N> };

/** Proof that this server belongs to an installation, for a program that has the same secret. */
interface InstallationProof {
  path: string;
  /** Header field with the question. */
  header: string;
  /** Time between both events, in milliseconds. */
  gapMs: number;
  /** Returns the answer to a question; null to a stranger. */
  answer: (question: string) => string | null;
}

/** Dependencies of the routes. */
export interface Services {
  accounts: Accounts;
  accountRemoval: AccountRemoval;
  signIn: SignIn;
  gateway: Gateway;
  sessions: Sessions;
  shares: Shares;
  disposal: SessionDisposal;
  analyzeImages: AnalyzeImages;
  exports: Exports;
  jobs: Jobs;
  /** Absent when import by URL is off. */
  urlImporter?: UrlImporter;
  /** Returns a new path for a file to receive, in an existing folder. */
  newTemporaryFile: () => string;
  /** Removes those of the files that still exist. */
  removeTemporaryFiles: (files: string[]) => Promise<void>;
  /** Free bytes on the disk that uploads are written to. */
  freeBytes: () => Promise<number>;
  store: Pick<ObjectStore, 'open' | 'head' | 'check' | 'urlOf'>;
  /** `redirect`: clients fetch exported files from the store itself, where it can. */
  downloads: 'proxy' | 'redirect';
  openUploads: OpenRequests;
  arrivingBytes: ArrivingBytes;
  openStreams: OpenRequests;
  streams: StreamRegistry;
  config: HttpConfig;
  logger: Logger;
  metrics: Metrics;
  /** Shown to clients before they upload. */
  limits: Limits;
  /** The OpenAPI document, and how it is sent. */
  openApi: { document: () => OpenApiDocument; send: (ctx: Context) => Promise<void> };
  /** Describes the state of external services; contains no secret. */
  describeHealth: () => Record<string, unknown>;
  /** Place of the vision model: none, local or elsewhere. */
  descriptionsBy: () => AccountOptions['descriptions'];
  /** State of the description service, the queue and the disk of this server. */
  describeState: () => Promise<Omit<ServiceState, 'mail'>>;
  /** Checks what the service needs of the machines around it. */
  checkInstallation: () => Promise<InstallationCheck>;
  proof: InstallationProof;
  /** False for a server that answers about itself alone. */
  servesApi: boolean;
  /** Aborts when the server is to be left by its clients. */
  stopping: AbortSignal;
  /** Rejects with a {@link NotReadyError} while the service is not ready. */
  checkReadiness: () => Promise<{ isDiskFull: boolean }>;
  /** The check that files can be written. */
  writeProbe: WriteProbe;
}
