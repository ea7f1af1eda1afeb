import { createHash } from 'node:crypto';
import { Agent as HttpAgent } from 'node:http';
import { Agent as HttpsAgent } from 'node:https';
import { S3Client } from '@aws-sdk/client-s3';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { backOff, withRetries } from '../concurrency.ts';
import { StoreAwayError, StoreFullError } from '../errors.ts';
import type { S3Location } from './config.ts';
import type { S3Credentials } from './s3-credentials.ts';
import { type Understood, understand } from './s3-failure.ts';
import { describeTrouble, type StoreAction } from './store-trouble.ts';
import type { TroubleLog } from './trouble-log.ts';

/** Requests beyond this number wait for others; clients that read slowly hold theirs. */
const MOST_SOCKETS = 2000;
const CONNECT_MS = 5000;
/** Silence in an answer after which it is given up, in milliseconds; a client that reads slowly is one, too. */
const SILENCE_MS = 300_000;

/** Creates Amazon's client. It reads no file and, of the environment, only what its parts for roles need. */
export function createS3Client(s3: S3Location, { obtain }: S3Credentials): S3Client {
  const agents = { keepAlive: true, maxSockets: MOST_SOCKETS };
  const client = quietly(
    () =>
      new S3Client({
        region: s3.region,
        ...(s3.endpoint === undefined ? {} : { endpoint: s3.endpoint }),
        forcePathStyle: s3.pathStyle,
        credentials: obtain as () => Promise<{ accessKeyId: string; secretAccessKey: string }>,
        // Requests are repeated here, with bodies that are opened anew.
        maxAttempts: 1,
        retryMode: 'standard',
        defaultsMode: 'standard',
        // Other stores do not know the checksums that it adds by itself; files have their SHA-256.
        requestChecksumCalculation: 'WHEN_REQUIRED',
        responseChecksumValidation: 'WHEN_REQUIRED',
        expectContinueHeader: false,
        followRegionRedirects: false,
        profile: NO_PROFILE,
        logger: SILENT,
        requestHandler: new NodeHttpHandler({
          connectionTimeout: CONNECT_MS,
          socketTimeout: SILENCE_MS,
          httpAgent: new HttpAgent(agents),
          httpsAgent: new HttpsAgent(agents),
          logger: SILENT,
        }),
      }),
  );
  addMd5(client);
  return client;
}

/** A profile that nobody has, so that `~/.aws` changes nothing. */
const NO_PROFILE = 'imagewright reads no profile';
const SILENT = { trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** Calls `create` without the client's advice on releases of Node, which speaks to whoever chooses its version: us. */
function quietly<T>(create: () => T): T {
  const name = 'AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED';
  const before = process.env[name];
  process.env[name] = 'true';
  try {
    return create();
  } finally {
    if (before === undefined) delete process.env[name];
    else process.env[name] = before;
  }
}

/** Adds the checksum that older stores want with a list of files to delete; newer ones take the client's. */
function addMd5(client: S3Client): void {
  client.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const { body, headers } = args.request as { body?: unknown; headers?: Record<string, string> };
        if (
          commandName === 'DeleteObjectsCommand' &&
          headers &&
          (typeof body === 'string' || body instanceof Uint8Array)
        )
          headers['content-md5'] = createHash('md5').update(body).digest('base64');
        return next(args);
      },
    { step: 'build', priority: 'low', name: 'contentMd5' },
  );
}

/** Jobs that meet an outage longer than these wait for its end themselves. */
const TRIES = 4;
const WAITS = { firstMs: 100, factor: 3 };
/** Time until the response begins, in milliseconds, beside that of the body. */
const RESPONSE_MS = 15_000;
/** Slowest upload that is waited for, in bytes per millisecond. */
const SLOWEST_BYTES_PER_MS = 100;

/** A request of the store. */
interface Ask {
  action: StoreAction;
  /** Bytes of its body. @default 0 */
  bytes?: number;
}

type Request<T> = (options: { abortSignal: AbortSignal }) => Promise<T>;

/** Sends requests to the store: within a time, repeated where that may help, each refusal with its cause. */
export type Send = <T>(ask: Ask, request: Request<T>) => Promise<T>;

interface SenderDeps {
  /** Where the store is, in words. */
  place: string;
  log: Pick<TroubleLog, 'failed' | 'worked'>;
}

/** Thrown if a file does not exist. */
export class MissingFileError extends Error {
  override readonly name = 'MissingFileError';
}

/** Creates what sends requests. @throws (each call) StoreAwayError, StoreFullError; MissingFileError for a read; errors of the own disk as they are */
export function createSender({ place, log }: SenderDeps): Send {
  return async (ask, request) => {
    const { action } = ask;
    try {
      const answer = await withRetries(
        () => inTime(request, ask),
        (error, failures) => {
          const brief = understand(error)?.isBrief === true && failures < TRIES;
          return brief ? backOff(failures, WAITS) : undefined;
        },
      );
      log.worked(action);
      return answer;
    } catch (error) {
      const understood = understand(error);
      if (!understood) throw error;
      if (understood.code === 'missing' && action === 'read') {
        log.worked(action);
        throw new MissingFileError('the file does not exist', { cause: error });
      }
      const refusal = refusalOf(understood, { action, place, cause: error });
      log.failed(action, refusal);
      throw refusal;
    }
  };
}

function refusalOf({ code, sign }: Understood, of: { action: StoreAction; place: string; cause: unknown }) {
  const { action, place, cause } = of;
  const trouble = describeTrouble(code === 'missing' ? 'no_store' : code, { action, place, sign });
  return code === 'full' ? new StoreFullError(trouble, { cause }) : new StoreAwayError(trouble, { cause });
}

async function inTime<T>(request: Request<T>, { bytes = 0 }: Ask): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), RESPONSE_MS + bytes / SLOWEST_BYTES_PER_MS);
  try {
    return await request({ abortSignal: limit.signal });
  } finally {
    clearTimeout(timer);
  }
}
