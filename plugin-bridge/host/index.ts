// Owns what is the same for every CMS: the CmsHost interface, the rules of replacing, batches, resuming. Knows no CMS.
export type {
  CmsHost,
  HostCall,
  HostImage,
  HostImageStatus,
  HostPage,
  HostQuery,
  HostSettings,
  Replaced,
  Replacement,
  ReplacementVariant,
  Restored,
} from './cms-host.ts';
export { HostError, type HostErrorCode, toHostError } from './host-error.ts';
