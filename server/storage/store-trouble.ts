import type { StoreTrouble } from '../errors.ts';

/** What is asked of a store. */
export type StoreAction = 'store' | 'read' | 'list' | 'delete';

/** Causes for which a store refuses or does not answer. */
export type TroubleCode = keyof typeof TROUBLES;

interface Facts {
  /** Where the store is, in words. */
  place: string;
  action: StoreAction;
  /** Code of S3, number of the status or of the system, whatever named the cause. */
  sign: string;
}

/** Permission that an action needs. */
const PERMISSIONS: Record<StoreAction, string> = {
  store: 's3:PutObject',
  read: 's3:GetObject',
  list: 's3:ListBucket',
  delete: 's3:DeleteObject',
};

const POLICY = 'docs/scaling.md has the whole policy';

/** Settings, what came, and the remedy, by cause. */
const TROUBLES = {
  no_credentials: {
    settings: 'AWS_ACCESS_KEY_ID',
    came: ({ sign }: Facts) => `no keys could be had from ${sign}`,
    remedy: 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine or container a role',
  },
  unknown_key: {
    settings: 'AWS_ACCESS_KEY_ID',
    came: 'the store does not know this access key',
    remedy: 'set one that it knows, or make it active again',
  },
  wrong_secret: {
    settings: 'AWS_SECRET_ACCESS_KEY',
    came: 'the store finds another signature',
    remedy: 'set the secret that belongs to AWS_ACCESS_KEY_ID; if it does, a proxy changes Host or the path',
  },
  expired_credentials: {
    settings: 'AWS_SESSION_TOKEN',
    came: 'the temporary keys have ended or do not fit their token',
    remedy: 'set new ones with their token, or let a role give them',
  },
  clock: {
    settings: 'FILES_URL',
    came: 'the clocks of this machine and of the store differ by too much',
    remedy: 'set the clock (NTP)',
  },
  wrong_region: {
    settings: 'FILES_URL',
    came: 'the bucket is in another region',
    remedy: 'set `region=…` in FILES_URL, or AWS_REGION',
  },
  no_bucket: {
    settings: 'FILES_URL',
    came: 'there is no such bucket',
    remedy: 'correct its name or the path of `endpoint`, or create it',
  },
  access_denied: {
    settings: 'FILES_URL',
    came: ({ action }: Facts) =>
      `these keys may not ${action} files${action === 'delete' ? ', so those of deleted sessions stay until they may' : ''}`,
    remedy: ({ action }: Facts) => `allow them ${PERMISSIONS[action]}; ${POLICY}`,
  },
  encryption: {
    settings: 'FILES_ENCRYPTION, FILES_KMS_KEY_ID',
    came: 'the store cannot encrypt files as these settings want',
    remedy: 'correct them, or allow these keys kms:GenerateDataKey and kms:Decrypt',
  },
  storage_class: {
    settings: 'FILES_STORAGE_CLASS',
    came: 'the store does not know this class',
    remedy: 'set one that it has, or none',
  },
  no_store: {
    settings: 'FILES_URL',
    came: ({ sign }: Facts) => `what answers there is no S3 store (${sign})`,
    remedy: 'correct `endpoint`: http or https, host, port, and the path if the store has one',
  },
  unknown_host: {
    settings: 'FILES_URL',
    came: 'its host is unknown',
    remedy: 'correct `endpoint`, or the name server of this machine',
  },
  nothing_listens: {
    settings: 'FILES_URL',
    came: 'nothing listens there',
    remedy: 'start the store, or correct host and port of `endpoint`',
  },
  untrusted: {
    settings: 'FILES_URL',
    came: ({ sign }: Facts) => `its certificate is not trusted (${sign})`,
    remedy: 'let NODE_EXTRA_CA_CERTS name the file of your authority, or correct the host of `endpoint`',
  },
  no_tls: {
    settings: 'FILES_URL',
    came: 'what answers there does not speak HTTPS',
    remedy: 'correct the port of `endpoint`, or write http://',
  },
  silent: {
    settings: 'FILES_URL',
    came: ({ sign }: Facts) => `the store does not answer (${sign})`,
    remedy: 'look whether it runs and whether this machine reaches it',
  },
  away: {
    settings: 'FILES_URL',
    came: ({ sign }: Facts) => `the store answers with an error of its own (${sign})`,
    remedy: 'look at its log',
  },
  full: {
    settings: 'FILES_URL',
    came: 'the store is full',
    remedy: 'give it more room, or lower SESSION_TTL_HOURS or VARIANT_CACHE_MB; removals work meanwhile',
  },
  refused: {
    settings: 'FILES_URL',
    came: ({ action, sign }: Facts) => `the store refuses to ${action} files (${sign})`,
    remedy: 'look at its log',
  },
} satisfies Record<string, Record<'settings' | 'came' | 'remedy', string | ((facts: Facts) => string)>>;

/** Describes a cause for the operator. */
export function describeTrouble(code: TroubleCode, facts: Facts): StoreTrouble {
  const { settings, came, remedy } = TROUBLES[code];
  const fill = (text: string | ((facts: Facts) => string)) => (typeof text === 'string' ? text : text(facts));
  return { code, settings, came: `${facts.place}: ${fill(came)}`, remedy: fill(remedy) };
}
