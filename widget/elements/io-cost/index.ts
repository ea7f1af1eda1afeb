// Owns the display of an export's price. Must not know how it is calculated.
export { IoCost } from './io-cost.ts';
