import type { StartedRig } from '../wordpress/rig.ts';
import type { SiteUser } from '../wordpress/site/site-user.ts';

/** Tools of a trial with a real plugin. */
export interface Trial {
  rig: StartedRig;
  admin: SiteUser;
  /** Notes whether something holds. */
  hold(what: string, holds: boolean): void;
  upload(name: string, width: number): Promise<number>;
  /** A visitor's view of an attachment in a post. */
  shown(id: number): Promise<{ path: string; naturalWidth: number; bytes: number; failed: string[] }>;
  /** Optimizes what the library offers, and returns what it cost. */
  run(): Promise<number>;
}
