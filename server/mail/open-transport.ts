import { createTransport } from 'nodemailer';

/** Creates the connection to a mail server, whose steps take at most `limitMs` each. Connects with the first mail. */
export function openTransport(url: string, limitMs: number) {
  return createTransport({
    url,
    connectionTimeout: limitMs,
    greetingTimeout: limitMs,
    socketTimeout: limitMs,
    dnsTimeout: limitMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}
