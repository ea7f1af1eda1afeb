import { createHash, generateKeyPairSync, type KeyObject, type RSAPSSKeyPairKeyObjectOptions, sign } from 'node:crypto';

/** A key pair with its certificate. */
export interface TestCertificate {
  /** The certificate, then that of its issuer. */
  chain: string;
  key: string;
}

/** Properties of a certificate that differ from the default. */
export interface CertificateChoice {
  /** @default 'ec', on P-256 */
  kind?: 'ec' | 'p384' | 'p521' | 'secp256k1' | 'rsa' | 'rsa-1024' | 'rsa-pss' | 'ed25519';
  /** Days from now to the beginning and to the end. @default [-1, 365] */
  days?: [number, number];
  /** Extended key usages; null: the extension is absent. @default mail */
  uses?: string[] | null;
  /** Bits of the key usage from the first one on, as text. @default '1', digitalSignature */
  keyUsage?: string;
  /** True for an authority. @default false */
  ca?: boolean;
}

const OIDS = {
  commonName: '2.5.4.3',
  organization: '2.5.4.10',
  ecdsaWithSha256: '1.2.840.10045.4.3.2',
  subjectKeyId: '2.5.29.14',
  keyUsage: '2.5.29.15',
  basicConstraints: '2.5.29.19',
  authorityKeyId: '2.5.29.35',
  extendedKeyUsage: '2.5.29.37',
};
const EMAIL_PROTECTION = '1.3.6.1.5.5.7.3.4';
const DAY_MS = 86_400_000;

/** Makes a certificate of an authority that exists for it alone (RFC 5280), so that no file of the tests can expire. */
export function makeCertificate({
  kind = 'ec',
  days: [from, to] = [-1, 365],
  uses = [EMAIL_PROTECTION],
  keyUsage = '1',
  ca = false,
}: CertificateChoice = {}): TestCertificate {
  const authority = keysOf('ec');
  const own = keysOf(kind);
  const validity = [new Date(Date.now() + from * DAY_MS), new Date(Date.now() + to * DAY_MS)] as const;
  const root = { subject: 'Test Authority', issuer: 'Test Authority', issuerKeys: authority };
  const ofRoot = certificate({
    ...{ ...root, publicKey: authority.publicKey, validity: [new Date(0), new Date('2049-01-01')] },
    extensions: [constraints(true), bits(OIDS.keyUsage, '000001'), ...keyIds(authority.publicKey, authority.publicKey)],
  });
  const leaf = certificate({
    ...{ subject: 'Test Signer', issuer: root.subject, issuerKeys: authority, publicKey: own.publicKey, validity },
    extensions: [
      constraints(ca),
      bits(OIDS.keyUsage, keyUsage),
      ...(uses ? [extension(OIDS.extendedKeyUsage, sequence(...uses.map(oid)))] : []),
      ...keyIds(own.publicKey, authority.publicKey),
    ],
  });
  return { chain: leaf + ofRoot, key: own.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

function keysOf(kind: NonNullable<CertificateChoice['kind']>): { publicKey: KeyObject; privateKey: KeyObject } {
  if (kind === 'ed25519') return generateKeyPairSync('ed25519');
  if (kind === 'rsa' || kind === 'rsa-1024')
    return generateKeyPairSync('rsa', { modulusLength: kind === 'rsa' ? 2048 : 1024 });
  if (kind === 'rsa-pss') {
    // The types want the salt's length as a text.
    const options = { modulusLength: 2048, hashAlgorithm: 'sha384', mgf1HashAlgorithm: 'sha384', saltLength: 48 };
    return generateKeyPairSync('rsa-pss', options as object as RSAPSSKeyPairKeyObjectOptions);
  }
  const curves = { ec: 'P-256', p384: 'P-384', p521: 'P-521', secp256k1: 'secp256k1' };
  return generateKeyPairSync('ec', { namedCurve: curves[kind] });
}

interface Parts {
  subject: string;
  issuer: string;
  issuerKeys: { privateKey: KeyObject };
  publicKey: KeyObject;
  validity: readonly [Date, Date];
  extensions: Buffer[];
}

function certificate({ subject, issuer, issuerKeys, publicKey, validity, extensions }: Parts): string {
  const algorithm = sequence(oid(OIDS.ecdsaWithSha256));
  const contents = sequence(
    tagged(0xa0, integer(2)),
    integer(1 + Math.floor(Math.random() * 1_000_000)),
    algorithm,
    name(issuer),
    sequence(...validity.map(time)),
    name(subject),
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(0xa3, sequence(...extensions)),
  );
  const signature = sign('sha256', contents, issuerKeys.privateKey);
  const der = sequence(contents, algorithm, tagged(0x03, Buffer.concat([Buffer.from([0]), signature])));
  return `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{1,64}/g, '$&\n')}-----END CERTIFICATE-----\n`;
}

function tagged(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...head]), content]);
}

function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, ...parts);
}

function integer(value: number): Buffer {
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.padStart(hex.length + (hex.length % 2), '0'), 'hex');
  return tagged(0x02, (bytes[0] ?? 0) > 127 ? Buffer.concat([Buffer.from([0]), bytes]) : bytes);
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  const bytes = rest.flatMap((arc) => {
    const groups = [arc & 127];
    for (let left = Math.floor(arc / 128); left > 0; left = Math.floor(left / 128)) groups.unshift(128 | (left & 127));
    return groups;
  });
  return tagged(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

function name(common: string): Buffer {
  const part = (type: string, text: string) => tagged(0x31, sequence(oid(type), tagged(0x0c, Buffer.from(text))));
  return sequence(part(OIDS.organization, 'Imagewright Tests'), part(OIDS.commonName, common));
}

/** UTCTime up to 2049. */
function time(date: Date): Buffer {
  return tagged(0x17, Buffer.from(`${date.toISOString().replace(/[-:T]/g, '').slice(2, 14)}Z`));
}

function extension(type: string, value: Buffer, critical = false): Buffer {
  return sequence(oid(type), ...(critical ? [tagged(0x01, Buffer.from([255]))] : []), tagged(0x04, value));
}

function constraints(ca: boolean): Buffer {
  return extension(OIDS.basicConstraints, sequence(...(ca ? [tagged(0x01, Buffer.from([255]))] : [])), true);
}

function bits(type: string, text: string): Buffer {
  const byte = Number.parseInt(text.padEnd(8, '0'), 2);
  return extension(type, tagged(0x03, Buffer.from([8 - text.length, byte])), true);
}

function keyIds(own: KeyObject, issuer: KeyObject): Buffer[] {
  const idOf = (key: KeyObject) =>
    createHash('sha1')
      .update(key.export({ type: 'spki', format: 'der' }))
      .digest();
  return [
    extension(OIDS.subjectKeyId, tagged(0x04, idOf(own))),
    extension(OIDS.authorityKeyId, sequence(tagged(0x80, idOf(issuer)))),
  ];
}
