import { z } from 'zod';
import { integerText, originSchema } from '#contract';

/** Returns the schema of a list that is separated by commas, empty by default. */
const listed = (item: z.ZodType<string, string>) =>
  z
    .string()
    .transform((text) =>
      text
        .split(',')
        .map((entry) => entry.trim())
        .filter((entry) => entry !== ''),
    )
    .pipe(z.array(item))
    .default([]);

/** Environment variables of the HTTP server; keys are the variables' names. */
export const httpConfig = z.object({
  PORT: integerText(0, 65_535).default(8080).describe('Port to listen on; 0 takes any free one.'),
  HOST: z.string().default('127.0.0.1').describe('Address to listen on; 0.0.0.0 for every interface.'),
  PUBLIC_URL: z
    .url({ protocol: /^https?$/, error: 'expected an http or https URL' })
    .refine(hasOriginAndPathOnly, 'expected an http or https URL without user, password, query or fragment')
    .overwrite((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe('Base URL under which clients reach the service, if it differs from host and port.'),
  ALLOWED_HOSTS: listed(z.string().regex(/^[a-z0-9.-]+$/i, 'expected names of hosts without ports'))
    .transform((names) => names.map((name) => name.toLowerCase()))
    .describe(
      'Names under which clients reach the service beside that of `PUBLIC_URL`, separated by commas. Other names with a dot are refused with 421 if this is set or `HOST` is a loopback address. Default: none.',
    ),
  CORS_ORIGINS: listed(originSchema).describe(
    'Origins of other pages that may call the API with an API key, separated by commas, e.g. `http://localhost:5173`. For development: whoever opens such a page can read the key. Default: none.',
  ),
  MAX_FILE_MB: integerText(1, 10_000).default(50).describe('Largest single upload, in megabytes.'),
  MAX_FILES_PER_REQUEST: integerText(1, 10_000).default(100).describe('Most files in one upload request.'),
  MAX_REQUEST_MB: integerText(1, 100_000).default(500).describe('Largest upload request as a whole, in megabytes.'),
  JSON_LIMIT_KB: integerText(1, 100_000).default(1024).describe('Largest JSON body, in kilobytes.'),
  REQUEST_SILENCE_SECONDS: integerText(1, 3600)
    .default(30)
    .describe('Seconds without a byte after which a request body that is arriving is refused with 408.'),
  REQUEST_MIN_BYTES_PER_SECOND: integerText(1, 1_000_000)
    .default(8000)
    .describe('Lowest rate of a request body after `REQUEST_GRACE_SECONDS`; a slower one is refused with 408.'),
  REQUEST_GRACE_SECONDS: integerText(1, 3600)
    .default(60)
    .describe('Seconds for which a request body may be slower than `REQUEST_MIN_BYTES_PER_SECOND`.'),
  KEEP_ALIVE_SECONDS: integerText(1, 3600)
    .default(75)
    .describe(
      'Seconds for which an idle connection is kept for the next request. Longer than that of the proxy in front, or its requests meet closed connections (502).',
    ),
  REQUEST_TIMEOUT_SECONDS: z
    .union([z.literal('off').transform(() => 0), integerText(1, 86_400)], {
      error: 'expected off, or a number from 1 to 86400',
    })
    .default(0)
    .describe(
      'Seconds within which a request must have arrived as a whole, however fast it is, or off. Default: `off`.',
    ),
  UPLOADS_PER_ACCOUNT: integerText(1, 10_000)
    .default(64)
    .describe('Upload requests of one account that may be open at once; more get 429.'),
  CONNECTIONS_PER_ADDRESS: integerText(1, 4096)
    .default(512)
    .describe(
      'Most open connections of one client address (IPv6: of a /64), of 4,096 in all. Not limited with `TRUST_PROXY`: limit them in the proxy.',
    ),
  DRAIN_SECONDS: integerText(0, 600)
    .default(0)
    .describe(
      'Seconds after SIGTERM in which the server still takes requests while `/readyz` says 503, so that a load balancer sends them elsewhere: its interval of checks times its threshold, and a little more.',
    ),
  SHUTDOWN_SECONDS: integerText(0, 3600)
    .default(25)
    .describe('Seconds that running jobs are given after SIGTERM; what is left is resumed at the next start.'),
  TRUST_PROXY: z
    .union([z.literal('off').transform(() => 0), integerText(0, 16)], {
      error: 'expected off, or a number from 0 to 16',
    })
    .default(0)
    .describe('Number of own proxies in front whose X-Forwarded-* headers are believed, or off. Default: `off`.'),
});

/** Returns true for a URL of origin and path alone, since paths are appended to it and it is public. */
function hasOriginAndPathOnly(url: string): boolean {
  // The check before reports an invalid URL.
  if (!URL.canParse(url)) return true;
  const { username, password, search, hash } = new URL(url);
  return `${username}${password}${search}${hash}` === '' && !/[?#]$/.test(url);
}

/** The HTTP settings after parsing. */
export type HttpConfig = z.output<typeof httpConfig>;
