import { findPhp } from './php.ts';

/**
 * Whether all is tested, or the main ways alone: PHP as WebAssembly takes ten times as long, and what it would find on the
 * side roads is the same. `IMAGEWRIGHT_TEST_THOROUGH=1` tests all whatever it takes.
 */
export const thorough = process.env.IMAGEWRIGHT_TEST_THOROUGH === '1' || (await findPhp()) !== null;
