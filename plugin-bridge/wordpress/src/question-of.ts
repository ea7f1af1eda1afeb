import type { RestError } from './rest.ts';
import type { Strings } from './site-config.ts';

/** Returns the question that offers to continue in spite of an error; null if it cannot be overridden. */
export function questionOf({ code, message, data }: RestError, strings: Strings): string | null {
  const { needs, paid } = (data.details ?? {}) as { needs?: string; paid?: boolean };
  const { restoreForce = '', restoreLost = '', largerPaid = '', largerCosts = '' } = strings;
  if (needs === 'allowLarger') return `${message} ${paid ? largerPaid : largerCosts}`;
  if (needs !== 'force') return null;
  return code === 'imagewright_edited' ? restoreForce : `${message} ${restoreLost}`;
}
