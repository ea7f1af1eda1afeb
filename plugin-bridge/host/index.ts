// Owns the parts common to all CMSs: the CmsHost interface, the rules of replacing, batches, resuming. Knows no CMS.

export type {
  Checked,
  CmsHost,
  HostCall,
  HostCheck,
  HostImage,
  HostImageStatus,
  HostPage,
  HostQuery,
  HostSettings,
  Replaced,
  Replacement,
  ReplacementVariant,
  Restored,
  Uploaded,
} from './cms-host.ts';
export { type ConnectOptions, connectHost, type HostConnection } from './connect-host.ts';
export { createFolderHost } from './folder/folder-host.ts';
export type { HostElement, HostItem, HostMedia } from './host-element.ts';
export { HostError, type HostErrorCode, toHostError } from './host-error.ts';
export { HOST_TEXTS, type HostTextKey } from './host-texts.ts';
export type { JournalStorage } from './journal.ts';
export type { HostOutcome } from './outcome.ts';
export { createRemoteHost, type RemoteHostOptions } from './remote-host.ts';
export type { ReplaceRules } from './replace-rules.ts';
export type { RunProgress } from './run-images.ts';
export { sha256 } from './sha256.ts';
export type { DecodeImage } from './verify-download.ts';
