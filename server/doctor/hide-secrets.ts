import type { CheckLine } from '#contract';
import type { Config } from '../config/index.ts';

/** Shortest text that is looked for; shorter ones would hide common words. */
const SHORTEST = 4;

/** Replaces what is secret in the settings. The checks repeat none of it; this holds also for what they do not foresee. */
export function hideSecrets(lines: CheckLine[], config: Partial<Config>): CheckLine[] {
  const { db, mail, analysis, accounts, storage } = config;
  const values = [
    analysis?.AI_API_KEY,
    analysis?.OPENAI_API_KEY,
    accounts?.API_KEY_PEPPER,
    storage?.AWS_SECRET_ACCESS_KEY,
    storage?.AWS_SESSION_TOKEN,
    storage?.AWS_CONTAINER_AUTHORIZATION_TOKEN,
    ...[db?.MONGODB_URI, mail?.SMTP_URL, analysis?.AI_BASE_URL, analysis?.OPENAI_BASE_URL].flatMap(partsOf),
  ].filter((value) => value !== undefined && value.length >= SHORTEST) as string[];
  const hide = (text: string) => values.reduce((shown, value) => shown.replaceAll(value, '***'), text);
  return lines.map((line) => ({
    ...line,
    tried: hide(line.tried),
    found: hide(line.found),
    remedy: line.remedy === null ? null : hide(line.remedy),
  }));
}

/** Returns the password of an address, as it is written and decoded. */
function partsOf(address: string | undefined): string[] {
  const [, password] = /^[^:]+:\/\/[^:@]*:(.*)@/.exec(address ?? '') ?? [];
  if (!password) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}
