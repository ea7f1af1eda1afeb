// Owns the live regions: what is said is decided elsewhere.
export { IoLive } from './io-live.ts';
