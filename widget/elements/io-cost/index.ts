// Owns how the price of an export is shown. Does not know how it is found out.
export { IoCost } from './io-cost.ts';
