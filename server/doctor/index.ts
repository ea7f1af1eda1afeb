// Owns the check of an installation from outside and inside. Changes nothing but probes. Must not know requests and jobs.

export { type CheckOptions, checkInstallation, createSharedCheck } from './check-installation.ts';
export { createProof } from './prove-installation.ts';
