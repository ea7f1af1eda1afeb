import type { Signer } from '../../shared/signer.ts';
import { asBlob, C2PA_SETTINGS, type C2pa, OUTCOME, withBlobs } from './c2pa-library.ts';
import { signClaim } from './cose-signature.ts';

/** What was done to a file since its upload. */
export interface SigningOrder {
  mimeType: string;
  /** Actions of C2PA 2.2, 18.15, in their order. */
  actions: string[];
  /** Upload; absent only in a trial. */
  parent?: { file: Uint8Array; mimeType: string; privateAssertions: string[] };
  /** Own assertion. */
  outcome?: Record<string, unknown>;
}

const CREATED = { create: 'http://cv.iptc.org/newscodes/digitalsourcetype/digitalCreation' };

/** Signs a file, with its upload as the parent. @throws string | Error of the library */
export async function signFile(c2pa: C2pa, file: Uint8Array, order: SigningOrder, signer: Signer): Promise<Buffer> {
  const { mimeType } = order;
  const builder = createBuilder(c2pa, order, signer);
  try {
    const sign = async (claim: Uint8Array) => Uint8Array.from(signClaim(claim, signer));
    const reserveSize = signClaim(new Uint8Array(), signer).length;
    return await withBlobs(async () => {
      if (order.parent) await addParent(builder, order.parent);
      return Buffer.from(await builder.sign({ alg: signer.algorithm, reserveSize, sign }, [], mimeType, asBlob(file)));
    });
  } finally {
    builder.free();
  }
}

type Builder = ReturnType<C2pa['WasmBuilder']['fromJson']>;

function createBuilder(
  { WasmBuilder }: C2pa,
  { mimeType, actions, parent, outcome }: SigningOrder,
  { version }: Signer,
): Builder {
  const generator = { name: 'Imagewright', version };
  const definition = { claim_generator_info: [generator], format: mimeType };
  const builder = WasmBuilder.fromJson(JSON.stringify(definition), C2PA_SETTINGS);
  builder.setIntent(parent ? 'edit' : CREATED);
  for (const uri of parent?.privateAssertions ?? []) builder.addRedaction(uri, 'c2pa.PII.present');
  for (const action of actions) builder.addAction({ action });
  if (outcome) builder.addAssertion(OUTCOME, outcome);
  return builder;
}

function addParent(builder: Builder, { file, mimeType }: NonNullable<SigningOrder['parent']>): Promise<void> {
  const ingredient = { relationship: 'parentOf', title: 'Upload', format: mimeType };
  return builder.addIngredientFromBlob(JSON.stringify(ingredient), mimeType, asBlob(file));
}
