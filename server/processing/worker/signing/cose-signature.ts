import { constants, createPrivateKey, sign } from 'node:crypto';
import { encode } from 'cborg';
import { ALGORITHMS, type Signer } from '../../shared/signer.ts';

/** Header parameters (RFC 9052, RFC 9360). */
const ALGORITHM = 1;
const CERTIFICATES = 33;
/** Tag 18 of CBOR. */
const SIGN1 = Buffer.from([0xd2]);

/**
 * Signs a claim as COSE_Sign1 (RFC 9052, 4.2) with a detached payload and the certificates in the protected header, as C2PA 2.2, 13.2
 * wants it. The length is the same for every claim.
 */
export function signClaim(claim: Uint8Array, signer: Signer): Buffer {
  const certificates = signer.certificates.map((der) => Buffer.from(der, 'base64'));
  const { cose } = ALGORITHMS[signer.algorithm];
  const header = encode(
    new Map<number, unknown>([
      [ALGORITHM, cose],
      [CERTIFICATES, certificates.length === 1 ? certificates[0] : certificates],
    ]),
  );
  const signed = encode(['Signature1', header, new Uint8Array(), claim]);
  return Buffer.concat([SIGN1, encode([header, new Map(), null, rawSignature(signed, signer)])]);
}

function rawSignature(data: Uint8Array, { key, algorithm }: Signer): Buffer {
  const { hash } = ALGORITHMS[algorithm];
  const isPss = algorithm.startsWith('ps');
  return sign(hash, data, {
    key: createPrivateKey(key),
    dsaEncoding: 'ieee-p1363',
    ...(isPss ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST } : {}),
  });
}
