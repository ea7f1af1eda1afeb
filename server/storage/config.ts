import { z } from 'zod';
import { integerText } from '#contract';
import type { S3Location } from './s3-store.ts';

const FORM = 'expected s3://bucket/prefix?endpoint=https://host&region=name';

/** Environment variables of file storage; keys are the variables' names. */
export const storageConfig = z
  .object({
    DATA_DIR: z.string().default('./data').describe('Directory for everything the service keeps.'),
    FILES_URL: z
      .string()
      .refine((value) => parseStoreUrl(value) !== null, FORM)
      .optional()
      .describe(
        'S3-compatible store of uploads and results, as `s3://bucket/prefix?endpoint=https://host&region=name`. `endpoint` and `region` may be left out with Amazon S3 in `us-east-1`. Default: the folder `files` below `DATA_DIR`.',
      ),
    FILES_COPIES_MB: integerText(0, 10_000_000)
      .default(1000)
      .describe('Most disk space for copies of files of an S3 store that may be read again, in megabytes.'),
    DOWNLOADS: z
      .enum(['proxy', 'redirect'])
      .default('proxy')
      .describe(
        'With `redirect`, a download is answered with a URL of the S3 store that is valid for 5 minutes; clients must reach the store then.',
      ),
    // Shared with other programs, so they are validated only when used.
    AWS_ACCESS_KEY_ID: z.string().optional().describe('Access key for the store in `FILES_URL`.'),
    AWS_SECRET_ACCESS_KEY: z.string().optional().describe('Secret of the access key.'),
  })
  .superRefine((given, context) => {
    if (given.FILES_URL === undefined) return;
    for (const name of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY'] as const) {
      if (given[name]) continue;
      context.addIssue({ code: 'custom', path: [name], message: 'expected a value, because FILES_URL is set' });
    }
  });

/** The storage settings after parsing. */
export type StorageConfig = z.output<typeof storageConfig>;

/** Reads the place of an S3 store from its URL; null if it is none. */
export function parseStoreUrl(value: string): Omit<S3Location, 'accessKeyId' | 'secretAccessKey'> | null {
  if (!URL.canParse(value)) return null;
  const { protocol, host, username, password, pathname, searchParams } = new URL(value);
  if (protocol !== 's3:' || host === '' || username || password) return null;
  if ([...searchParams.keys()].some((name) => name !== 'endpoint' && name !== 'region')) return null;
  const region = searchParams.get('region') ?? 'us-east-1';
  const endpoint = searchParams.get('endpoint') ?? `https://s3.${region}.amazonaws.com`;
  const prefix = pathname.replace(/^\/+|\/+$/g, '');
  if (!/^https?:\/\/[^/?#]+\/?$/.test(endpoint) || !/^[\w!.*'()/-]*$/.test(prefix)) return null;
  return { endpoint, region, bucket: host, prefix };
}
