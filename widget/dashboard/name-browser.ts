import { STRINGS } from './language.ts';

/** Tokens of user agents, specific ones first, since most browsers also contain the tokens of older ones. */
const BROWSERS = [
  ['Edg', 'Edge'],
  ['OPR', 'Opera'],
  ['Firefox', 'Firefox'],
  ['Chrome', 'Chrome'],
  ['Safari', 'Safari'],
] as const;
const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Names the browser of a user agent, e.g. `Firefox on Windows`. Unknown user agents are quoted. */
export function nameBrowser(userAgent: string): string {
  const browser = BROWSERS.find(([token]) => userAgent.includes(token))?.[1];
  const system = SYSTEMS.find(([token]) => userAgent.includes(token))?.[1];
  if (!browser) return userAgent.slice(0, 40) || STRINGS.unknownBrowser;
  return system ? STRINGS.browserOn({ browser, system }) : browser;
}
