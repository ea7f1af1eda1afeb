import type { EncodedFormat } from '#contract/constants';

/** Algorithms of content credentials (C2PA 2.2, 13.2): the number in COSE, and the hash of the signature; null: it has its own. */
export const ALGORITHMS = {
  es256: { cose: -7, hash: 'sha256' },
  es384: { cose: -35, hash: 'sha384' },
  es512: { cose: -36, hash: 'sha512' },
  ps256: { cose: -37, hash: 'sha256' },
  ps384: { cose: -38, hash: 'sha384' },
  ps512: { cose: -39, hash: 'sha512' },
  ed25519: { cose: -8, hash: null },
} as const;

/** Name of an algorithm. */
export type Algorithm = keyof typeof ALGORITHMS;

/** Certificate and key for content credentials, in the form that workers receive. */
export interface Signer {
  algorithm: Algorithm;
  /** DER in base64, the signing certificate first. */
  certificates: string[];
  /** PEM without a passphrase. */
  key: string;
  /** Last moment at which the certificate is valid, in milliseconds since 1970. */
  expiresAt: number;
  /** SHA-256 of the certificate and the version of what is signed, in hex: the same one signs the same way. */
  identity: string;
  /** Version of the service, which is named as the author of the changes. */
  version: string;
}

/** Formats that are signed. TIFF and GIF, which are outputs of `original` alone, are not. */
const SIGNED_FORMATS: readonly EncodedFormat[] = ['jpeg', 'png', 'webp', 'avif'];

/** Returns true if content credentials can be signed into files of a format. */
export function isSignable(format: EncodedFormat): boolean {
  return SIGNED_FORMATS.includes(format);
}
