import { type Config, findNearMisses } from './config/index.ts';
import type { Logger } from './observability/index.ts';

/** Logs a warning of each setting that is valid and yet most likely not what was meant. */
export function warnOfSettings(config: Config, env: NodeJS.ProcessEnv, logger: Pick<Logger, 'warn'>): void {
  for (const { given, meant } of findNearMisses(env)) {
    logger.warn({ given, meant }, `the variable ${given} is not a setting and was ignored: did you mean ${meant}?`);
  }
  const { PUBLIC_URL } = config.http;
  if (PUBLIC_URL && config.signIn.LOGIN_COOKIE === 'secure' && isPlain(new URL(PUBLIC_URL))) {
    const effect = 'browsers keep no log-in there, so claiming the first account and the dashboard fail';
    logger.warn({ PUBLIC_URL }, `PUBLIC_URL begins with http: ${effect}; use an https address, or LOGIN_COOKIE=plain`);
  }
}

/** Browsers treat this machine as safe. */
function isPlain({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && !/^(localhost|.*\.localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
}
