import { afterAll, beforeAll, describe, it } from 'vitest';
import { expectColours, type FieldRig, openFieldRig } from './field-files.ts';

let rig: FieldRig;
beforeAll(async () => {
  rig = await openFieldRig();
});
afterAll(() => rig.close());

describe.each(['avif', 'jpeg', 'png'] as const)('files from the field in %s', (format) => {
  it('have their right colours, in widths too', () => expectColours(rig, format));
});
