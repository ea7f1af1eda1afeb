import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { StartError } from '../../errors.ts';
import { VERSION } from '../../version.ts';
import type { ProcessingConfig } from '../config.ts';
import type { Algorithm, Signer } from '../shared/signer.ts';

const CERTIFICATE = 'CONTENT_CREDENTIALS_CERTIFICATE';
const KEY = 'CONTENT_CREDENTIALS_KEY';

/** Raised when the assertions and actions of signed files change: such files are made again. */
const SIGNING_VERSION = 1;

/** Uses of a key that validators accept: C2PA claims, mail, documents. */
const USES = ['1.3.6.1.4.1.62558.2.1', '1.3.6.1.5.5.7.3.4', '1.3.6.1.5.5.7.3.36'];

const CURVES: Record<string, Algorithm> = { prime256v1: 'es256', secp384r1: 'es384', secp521r1: 'es512' };
const HASHES: Record<string, Algorithm> = { sha256: 'ps256', sha384: 'ps384', sha512: 'ps512' };
const LEAST_RSA_BITS = 2048;

/**
 * Reads and checks what content credentials are signed with; null if `CONTENT_CREDENTIALS` is off.
 * @throws StartError that names the setting and what is wrong
 */
export async function openSigner(config: ProcessingConfig, now = Date.now()): Promise<Signer | null> {
  if (config.CONTENT_CREDENTIALS !== 'sign') return null;
  const chain = parseChain(await readSetting(CERTIFICATE, config[CERTIFICATE]));
  const [own] = chain;
  if (!own) throw fault(CERTIFICATE, 'expected a PEM file with a certificate, but it has none');
  const pem = await readSetting(KEY, config[KEY]);
  const key = parseKey(pem);
  checkCertificate(own, now);
  checkOrder(chain);
  if (!own.checkPrivateKey(key)) throw fault(KEY, `it is not the key of the first certificate in ${CERTIFICATE}`);
  return {
    algorithm: algorithmOf(key),
    certificates: chain.map(({ raw }) => raw.toString('base64')),
    key: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    expiresAt: Date.parse(own.validTo),
    identity: createHash('sha256').update(own.raw).update(`${SIGNING_VERSION}`).digest('hex'),
    version: VERSION,
  };
}

function fault(setting: string, what: string): StartError {
  return new StartError(`${setting}: ${what}`);
}

async function readSetting(setting: typeof CERTIFICATE | typeof KEY, path: string | undefined): Promise<string> {
  if (!path)
    throw fault(setting, 'expected the path of a PEM file, since CONTENT_CREDENTIALS is sign, but it is not set');
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    throw fault(setting, `${path} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function parseChain(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]*?-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block, index) => {
    try {
      return new X509Certificate(block);
    } catch {
      throw fault(CERTIFICATE, `certificate ${index + 1} of the file is damaged`);
    }
  });
}

function parseKey(pem: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch (error) {
    const isLocked = /ENCRYPTED/.test(pem) || /passphrase/i.test(String(error));
    throw fault(KEY, `expected a private key in PEM without a passphrase${isLocked ? ', but it has one' : ''}`);
  }
}

function checkCertificate(own: X509Certificate, now: number): void {
  if (now < Date.parse(own.validFrom)) throw fault(CERTIFICATE, `the certificate is valid only from ${own.validFrom}`);
  if (now > Date.parse(own.validTo)) throw fault(CERTIFICATE, `the certificate expired on ${own.validTo}`);
  if (own.ca)
    throw fault(
      CERTIFICATE,
      'the first certificate is that of an authority; expected the signing one, then its issuers',
    );
  // Node's types name only certificates that state uses.
  const uses: string[] = own.keyUsage ?? [];
  if (!uses.some((use) => USES.includes(use)))
    throw fault(
      CERTIFICATE,
      `the certificate may not sign files: expected the extended key usage ${USES.join(', ')}, but it has ${uses.join(', ') || 'none'}`,
    );
}

function checkOrder(chain: X509Certificate[]): void {
  for (const [index, issuer] of chain.entries()) {
    const subject = chain[index - 1];
    if (subject && !subject.checkIssued(issuer))
      throw fault(CERTIFICATE, `certificate ${index + 1} of the file has not issued certificate ${index}`);
  }
}

function algorithmOf(key: KeyObject): Algorithm {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details = {} } = key;
  const { namedCurve = '', hashAlgorithm = 'sha256', modulusLength = 0 } = details;
  const found =
    type === 'ed25519'
      ? 'ed25519'
      : type === 'ec'
        ? CURVES[namedCurve]
        : (type === 'rsa' || type === 'rsa-pss') && modulusLength >= LEAST_RSA_BITS
          ? HASHES[type === 'rsa' ? 'sha256' : hashAlgorithm]
          : undefined;
  if (!found) {
    const received = [type, namedCurve, modulusLength || ''].filter(Boolean).join(' ');
    throw fault(
      KEY,
      `expected a key of P-256, P-384, P-521, Ed25519 or RSA from ${LEAST_RSA_BITS} bits, but received ${received}`,
    );
  }
  return found;
}
