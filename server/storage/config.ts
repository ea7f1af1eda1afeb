import { z } from 'zod';
import { integerText } from '#contract';

const FORM =
  'expected s3://bucket/prefix, with endpoint=https://host, region=name and addressing=path or virtual after a ? where they are needed';

/** Environment variables of file storage; keys are the variables' names. */
export const storageConfig = z
  .object({
    DATA_DIR: z.string().default('./data').describe('Directory for everything the service keeps.'),
    FILES_URL: z
      .string()
      .refine((value) => parseStoreUrl(value) !== null, FORM)
      .optional()
      .describe(
        'S3-compatible store of uploads and results, as `s3://bucket/prefix?endpoint=https://host&region=name` ([more](scaling.md#files-of-several-servers)). Default: the folder `files` below `DATA_DIR`.',
      ),
    FILES_STORAGE_CLASS: z
      .string()
      .regex(/^(?!GLACIER$|DEEP_ARCHIVE$)[A-Z][A-Z0-9_]{1,63}$/, 'expected a storage class that can be read at once')
      .optional()
      .describe('Storage class of files in S3, e.g. `STANDARD_IA`. Default: that of the bucket.'),
    FILES_ENCRYPTION: z
      .enum(['AES256', 'aws:kms', 'aws:kms:dsse'])
      .optional()
      .describe('Encryption that S3 is asked for with each file. Default: that of the bucket.'),
    FILES_KMS_KEY_ID: z.string().optional().describe('Key of `aws:kms`, as id or ARN. Default: that of Amazon S3.'),
    FILES_COPIES_MB: integerText(0, 10_000_000)
      .default(1000)
      .describe('Most disk space for copies of files of an S3 store that may be read again, in megabytes.'),
    DOWNLOADS: z
      .enum(['proxy', 'redirect'])
      .default('proxy')
      .describe(
        'With `redirect`, a download is answered with a URL of the S3 store that is valid for 5 minutes; clients must reach the store then.',
      ),
    ...awsSettings(),
  })
  .superRefine((given, context) => {
    if (given.FILES_URL === undefined) return;
    const fault = (name: string, message: string) => context.addIssue({ code: 'custom', path: [name], message });
    for (const [name, other] of PAIRS) {
      if (given[other] && !given[name]) fault(name, `expected a value, because FILES_URL and ${other} are set`);
    }
    if (given.FILES_KMS_KEY_ID && !given.FILES_ENCRYPTION?.startsWith('aws:kms'))
      fault('FILES_ENCRYPTION', 'expected aws:kms or aws:kms:dsse, because FILES_KMS_KEY_ID is set');
    const endpoint = endpointOf(given);
    if (endpoint !== undefined && !isEndpoint(endpoint))
      fault(given.AWS_ENDPOINT_URL_S3 ? 'AWS_ENDPOINT_URL_S3' : 'AWS_ENDPOINT_URL', 'expected http://… or https://…');
  });

/** Variables that are set together or not at all. */
const PAIRS = [
  ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'],
  ['AWS_SECRET_ACCESS_KEY', 'AWS_ACCESS_KEY_ID'],
  ['AWS_ACCESS_KEY_ID', 'AWS_SESSION_TOKEN'],
  ['AWS_ROLE_ARN', 'AWS_WEB_IDENTITY_TOKEN_FILE'],
] as const;

/** Variables that other programs for S3 read too, so they are checked only with `FILES_URL`. */
function awsSettings() {
  const text = (description: string) => z.string().optional().describe(description);
  return {
    AWS_ACCESS_KEY_ID: text('Access key for the store in `FILES_URL`. Without one a profile or a role gives keys.'),
    AWS_SECRET_ACCESS_KEY: text('Secret of the access key.'),
    AWS_SESSION_TOKEN: text('Token of temporary keys.'),
    AWS_REGION: text('Region, unless `FILES_URL` has one. Default: us-east-1.'),
    AWS_ENDPOINT_URL_S3: text('Address of the store, unless `FILES_URL` has one. Default: that of Amazon S3.'),
    AWS_ENDPOINT_URL: text('The same, of all services of Amazon.'),
    AWS_PROFILE: text('Profile of `~/.aws` that gives the keys; without it these files are not read.'),
    AWS_WEB_IDENTITY_TOKEN_FILE: text('File with the token for `AWS_ROLE_ARN`, as Kubernetes sets it.'),
    AWS_ROLE_ARN: text('Role that the token stands for.'),
    AWS_CONTAINER_CREDENTIALS_RELATIVE_URI: text('Path of the keys of the role of a container, as ECS sets it.'),
    AWS_CONTAINER_CREDENTIALS_FULL_URI: text('Address of the keys of the role of a container, as EKS sets it.'),
    AWS_CONTAINER_AUTHORIZATION_TOKEN: text('Token for that address.'),
    AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: text('File with the token for that address.'),
    AWS_EC2_METADATA_DISABLED: text('With `true`, the role of a virtual machine is not asked for.'),
  };
}

/** The storage settings after parsing. */
export type StorageConfig = z.output<typeof storageConfig>;

const ADDRESSING = new Set([null, 'path', 'virtual']);

/** Reads what the URL of an S3 store says; null if it is none. */
function parseStoreUrl(value: string) {
  if (!URL.canParse(value)) return null;
  const { protocol, host: bucket, username, password, pathname, searchParams } = new URL(value);
  if (protocol !== 's3:' || !/^[\w.-]{1,255}$/.test(bucket) || username || password) return null;
  if ([...searchParams.keys()].some((name) => !['endpoint', 'region', 'addressing'].includes(name))) return null;
  const endpoint = searchParams.get('endpoint') ?? undefined;
  const region = searchParams.get('region') || undefined;
  const addressing = searchParams.get('addressing');
  const prefix = pathname.replace(/^\/+|\/+$/g, '');
  if (endpoint !== undefined && !isEndpoint(endpoint)) return null;
  if (!ADDRESSING.has(addressing) || !/^[\w!.*'()/-]*$/.test(prefix)) return null;
  return { endpoint, region, bucket, prefix, addressing };
}

function isEndpoint(value: string): boolean {
  return /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/.test(value) && URL.canParse(value);
}

function endpointOf({ AWS_ENDPOINT_URL_S3, AWS_ENDPOINT_URL, FILES_URL }: Partial<StorageConfig>) {
  return parseStoreUrl(FILES_URL ?? '')?.endpoint ?? (AWS_ENDPOINT_URL_S3 || AWS_ENDPOINT_URL || undefined);
}

/** A prefix in a bucket of an S3-compatible service. */
export interface S3Location {
  /** Base URL of the service; absent: Amazon S3. */
  endpoint: string | undefined;
  region: string;
  bucket: string;
  /** Without slashes at its ends; may be empty. */
  prefix: string;
  /** The bucket is in the path of addresses, and not in their host. */
  pathStyle: boolean;
}

/** Returns the place of the files in S3; null if they are in a folder. */
export function locateStore(config: StorageConfig): S3Location | null {
  const url = config.FILES_URL === undefined ? null : parseStoreUrl(config.FILES_URL);
  if (!url) return null;
  const { bucket, prefix, addressing } = url;
  const endpoint = endpointOf(config);
  return {
    endpoint: endpoint?.replace(/\/+$/, ''),
    region: url.region ?? (config.AWS_REGION || 'us-east-1'),
    bucket,
    prefix,
    // Other stores than Amazon's seldom have a name for each bucket.
    pathStyle: addressing === null ? endpoint !== undefined : addressing === 'path',
  };
}
