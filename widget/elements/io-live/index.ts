// Owns the live regions. Must not know what is announced.
export { IoLive } from './io-live.ts';
