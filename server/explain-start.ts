import { resolve, sep } from 'node:path';
import { type Config, ConfigError, findNearMisses } from './config/index.ts';
import { isDatabaseAway, isDiskFull, StartError } from './errors.ts';
import type { Logger } from './observability/index.ts';

/** Fields of Node's error of a failed system call. */
type SystemError = Partial<Pick<NodeJS.ErrnoException, 'code' | 'syscall' | 'path'>> & { message: string };

/**
 * Explains in one line that names the setting why the service cannot start, if the operator can change that; null for all
 * other errors, which are printed whole.
 * @param config absent if the settings themselves are invalid
 */
export function explainStart(error: unknown, config?: Config): string | null {
  if (error instanceof ConfigError || error instanceof StartError) return error.message;
  if (!config || !(error instanceof Error)) return null;
  const { code = '', syscall = '', path = '', message } = error as SystemError;
  const { HOST, PORT } = config.http;
  if (syscall === 'listen' && code === 'EADDRINUSE')
    return `PORT: ${PORT} on ${HOST} is in use by another program; stop that, or set another port`;
  if (syscall === 'listen' && code === 'EACCES')
    return `PORT: this user may not listen on ${PORT}; set one from 1024 to 65535, or 0 for any that is free`;
  if (syscall === 'getaddrinfo' || code === 'EADDRNOTAVAIL')
    return `HOST: ${HOST} is not an address of this machine (${code})`;
  const uri = config.db.MONGODB_URI;
  if (uri && isDatabaseAway(error)) return `MONGODB_URI: no database responds there (${withoutPassword(message, uri)})`;
  const directory = resolve(config.storage.DATA_DIR);
  if (isDiskFull(error)) {
    const at = uri && !path ? 'MONGODB_URI: the disk of the database' : `DATA_DIR: the disk of ${directory}`;
    return `${at} has no space left (${message})`;
  }
  // Errors of the driver, a missing DNS record, or a certificate file named in the URI.
  if (uri && (error.name.startsWith('Mongo') || syscall.startsWith('query') || isNamedIn(uri, path)))
    return `MONGODB_URI: the database cannot be used (${withoutPassword(message, uri)})`;
  if (code && path && (isWithin(path, directory) || (syscall === 'mkdir' && isWithin(directory, path))))
    return `DATA_DIR: ${directory} cannot be used (${message})`;
  return null;
}

function isNamedIn(uri: string, path: string): boolean {
  return path !== '' && (uri.includes(path) || uri.includes(encodeURIComponent(path)));
}

/** Removes the password from a driver's message, which may repeat the URI. */
function withoutPassword(message: string, uri: string): string {
  const [, password = ''] = /^[^:]+:\/\/[^:]*:(.*)@/.exec(uri) ?? [];
  return password === '' ? message : message.replaceAll(password, '***');
}

function isWithin(path: string, directory: string): boolean {
  return `${resolve(path)}${sep}`.startsWith(`${resolve(directory)}${sep}`);
}

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
