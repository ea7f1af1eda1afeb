// Owns links to sessions for people without an account: who may look, what they see, what they answer. Must not know HTTP or jobs.
export { createShares, type Shares } from './shares.ts';
