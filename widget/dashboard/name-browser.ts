/** Tokens of user agents, the telling ones first: most browsers claim to be the older ones too. */
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

/** Says which browser a user agent is, e.g. `Firefox on Windows`; what is not known is quoted. */
export function nameBrowser(userAgent: string): string {
  const browser = BROWSERS.find(([token]) => userAgent.includes(token))?.[1];
  const system = SYSTEMS.find(([token]) => userAgent.includes(token))?.[1];
  if (!browser) return userAgent.slice(0, 40) || 'Unknown browser';
  return system ? `${browser} on ${system}` : browser;
}
