import { setTimeout as sleep } from 'node:timers/promises';
import { StartError } from '../errors.ts';
import type { StorageConfig } from './config.ts';

/** Longest wait for the keys of a role at each try, in milliseconds. */
const ROLE_MS = 1000;
const TRIES_AGAIN = 1;
/** Longest wait for keys in all, in milliseconds. */
const ALL_TRIES_MS = 6000;

/** Keys that sign requests; those of a role end and are asked for again. */
export interface S3Keys {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
  expiration?: Date | undefined;
}

/** Where the keys come from, in words, and what obtains them. */
export interface S3Credentials {
  source: string;
  obtain: () => Promise<S3Keys>;
}

/**
 * Chooses where the keys of the store come from: the first of keys, profile, web identity, container and virtual machine
 * that is set up. No program is started for them, and without AWS_PROFILE no file of a user is read.
 */
export async function chooseCredentials(config: StorageConfig, region: string): Promise<S3Credentials> {
  const { source, obtain } = await choose(config, region);
  return { source, obtain: () => inTime(obtain()).catch((cause: unknown) => Promise.reject(noKeys(source, cause))) };
}

/** Rejects after a while: a part of the client waits for ever for a role that takes its request and does not answer. */
async function inTime<T>(keys: Promise<T>): Promise<T> {
  const limit = new AbortController();
  const late = sleep(ALL_TRIES_MS, undefined, { signal: limit.signal }).then(() => {
    throw Object.assign(new Error('no answer in time'), { name: 'TimeoutError' });
  });
  late.catch(() => {});
  return Promise.race([keys, late]).finally(() => limit.abort());
}

/** Name of the error of whatever should give keys. */
export const NO_KEYS = 'NoKeysError';

/** Names the source in place of the error's own words, which may hold addresses and answers. */
function noKeys(source: string, cause: unknown): Error {
  const { name = '' } = (cause ?? {}) as Error;
  const reason = /^[A-Z][A-Za-z0-9]{3,60}$/.test(name) && name !== 'Error' ? `${source}: ${name}` : source;
  return Object.assign(new Error(reason, { cause }), { name: NO_KEYS });
}

async function choose(config: StorageConfig, region: string): Promise<S3Credentials> {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_PROFILE: profile } = config;
  if (accessKeyId && secretAccessKey) {
    const keys = { accessKeyId, secretAccessKey, sessionToken: config.AWS_SESSION_TOKEN || undefined };
    return { source: 'AWS_ACCESS_KEY_ID', obtain: async () => keys };
  }
  if (profile) return { source: `AWS_PROFILE ${profile}`, obtain: await fromProfile(profile, region) };
  const { AWS_WEB_IDENTITY_TOKEN_FILE: webIdentityTokenFile, AWS_ROLE_ARN: roleArn } = config;
  if (webIdentityTokenFile && roleArn) {
    const { fromTokenFile } = await import('@aws-sdk/credential-provider-web-identity');
    const clientConfig = { region, maxAttempts: TRIES_AGAIN + 1 };
    const obtain = fromTokenFile({ webIdentityTokenFile, roleArn, clientConfig });
    return { source: `AWS_WEB_IDENTITY_TOKEN_FILE as ${roleArn}`, obtain };
  }
  if (config.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI || config.AWS_CONTAINER_CREDENTIALS_FULL_URI)
    return { source: 'the role of the container', obtain: await fromContainer(config) };
  if (/^true$/i.test(config.AWS_EC2_METADATA_DISABLED ?? ''))
    return { source: 'no setting', obtain: () => Promise.reject(new Error('no keys, profile or role is set')) };
  const { fromInstanceMetadata } = await import('@smithy/credential-provider-imds');
  return {
    source: 'the role of the virtual machine',
    obtain: fromInstanceMetadata({ timeout: ROLE_MS, maxRetries: TRIES_AGAIN, ec2MetadataV1Disabled: true }),
  };
}

async function fromContainer(config: StorageConfig) {
  const { fromHttp } = await import('@aws-sdk/credential-provider-http');
  const given = {
    awsContainerCredentialsRelativeUri: config.AWS_CONTAINER_CREDENTIALS_RELATIVE_URI,
    awsContainerCredentialsFullUri: config.AWS_CONTAINER_CREDENTIALS_FULL_URI,
    awsContainerAuthorizationToken: config.AWS_CONTAINER_AUTHORIZATION_TOKEN,
    awsContainerAuthorizationTokenFile: config.AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE,
  };
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
  // Called inside, since an address that it does not allow throws at once.
  return () => fromHttp({ ...set, timeout: ROLE_MS, maxRetries: TRIES_AGAIN })();
}

/** @throws StartError for a profile that starts a program */
async function fromProfile(profile: string, region: string) {
  const { fromIni } = await import('@aws-sdk/credential-provider-ini');
  const { parseKnownFiles } = await import('@smithy/core/config');
  const profiles = await parseKnownFiles({ profile });
  const seen = new Set<string>();
  for (let name: string | undefined = profile; name && !seen.has(name); name = profiles[name]?.source_profile) {
    seen.add(name);
    if (profiles[name]?.credential_process === undefined) continue;
    throw new StartError(
      `AWS_PROFILE: the profile ${name} has credential_process, which the service does not run; use keys or a role`,
    );
  }
  return fromIni({ profile, clientConfig: { region } });
}
