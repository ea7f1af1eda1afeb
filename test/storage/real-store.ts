import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeleteObjectsCommand,
  ListObjectsV2Command,
  PutBucketPolicyCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import type { KeyName, S3Server } from './s3-server.ts';

/** A store that nobody here wrote, and its keys. */
interface RealStore {
  endpoint: string;
  region: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Key that may do everything but delete. */
  noDelete: { accessKeyId: string; secretAccessKey: string } | null;
}

/** Reads the real store from the environment, as `npm run test:s3` sets it; null if there is none. */
export function realStore(): RealStore | null {
  const { TEST_S3_ENDPOINT: endpoint, TEST_S3_REGION: region = 'us-east-1', ...env } = process.env;
  const { TEST_S3_ACCESS_KEY_ID: accessKeyId, TEST_S3_SECRET_ACCESS_KEY: secretAccessKey } = env;
  if (!endpoint || !accessKeyId || !secretAccessKey) return null;
  const { TEST_S3_NO_DELETE_KEY_ID: id, TEST_S3_NO_DELETE_SECRET: secret } = env;
  const noDelete = id && secret ? { accessKeyId: id, secretAccessKey: secret } : null;
  return { endpoint, region, accessKeyId, secretAccessKey, noDelete };
}

let buckets = 0;

/** Creates a bucket in the real store, which is removed at the end. */
export async function openRealStore(): Promise<S3Server> {
  const store = realStore();
  if (!store) throw new Error('TEST_S3_ENDPOINT names no store');
  const { endpoint, region, accessKeyId, secretAccessKey, noDelete } = store;
  buckets += 1;
  const bucket = `imagewright-${process.pid}-${Date.now()}-${buckets}`;
  const client = new S3Client({
    endpoint,
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  await client.send(new CreateBucketCommand({ Bucket: bucket }));
  if (noDelete && process.env.TEST_S3_DENY) await denyDeletion(client, bucket, noDelete.accessKeyId);
  const keys: Partial<Record<KeyName, { accessKeyId: string; secretAccessKey: string } | null>> = {
    whole: { accessKeyId, secretAccessKey },
    noDelete,
  };
  return {
    endpoint,
    bucket,
    region,
    env(prefix = 'site', at = endpoint, name: KeyName = 'whole') {
      const key = keys[name];
      if (!key) throw new Error(`the real store has no key ${name}`);
      return {
        AWS_ACCESS_KEY_ID: key.accessKeyId,
        AWS_SECRET_ACCESS_KEY: key.secretAccessKey,
        FILES_URL: `s3://${bucket}/${prefix}?endpoint=${at}&region=${region}`,
      };
    },
    async close() {
      await empty(client, bucket);
      await client.send(new DeleteBucketCommand({ Bucket: bucket }));
      client.destroy();
    },
  };
}

/** Lets a key do everything but delete, on stores whose first key no policy binds. */
async function denyDeletion(client: S3Client, Bucket: string, key: string): Promise<void> {
  const arn = `arn:aws:s3:::${Bucket}`;
  const AWS = [key];
  const Statement = [
    { Effect: 'Allow', Principal: { AWS }, Action: ['s3:ListBucket'], Resource: [arn] },
    { Effect: 'Allow', Principal: { AWS }, Action: ['s3:GetObject', 's3:PutObject'], Resource: [`${arn}/*`] },
    { Effect: 'Deny', Principal: '*', Action: ['s3:DeleteObject'], Resource: [`${arn}/*`] },
  ];
  await client.send(
    new PutBucketPolicyCommand({ Bucket, Policy: JSON.stringify({ Version: '2012-10-17', Statement }) }),
  );
}

async function empty(client: S3Client, Bucket: string): Promise<void> {
  for (;;) {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket, MaxKeys: 500 }));
    if (Contents.length === 0) return;
    const Objects = Contents.map(({ Key }) => ({ Key }));
    await client.send(new DeleteObjectsCommand({ Bucket, Delete: { Objects, Quiet: true } }));
  }
}
