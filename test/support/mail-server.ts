import { createServer, type Socket } from 'node:net';
import { vi } from 'vitest';
import { createMailer, mailConfig } from '../../server/mail/index.ts';
import { createLogger } from '../../server/observability/index.ts';
import type { SignInDeps } from '../../server/sign-in/index.ts';
import { PATIENCE_MS } from './patience.ts';

/** A mail as it came over the wire. */
export interface ReceivedMail {
  from: string;
  to: string[];
  /** Decoded. */
  subject: string;
  text: string;
}

/** Treatment of senders by the server: `accept`, a temporary refusal (`busy`), or no response (`mute`). */
export type MailServerMode = 'accept' | 'busy' | 'mute';

/** Starts a real SMTP server on a free port of this machine, which keeps what it is sent. */
export async function startMailServer() {
  const received: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const state = { mode: 'accept' as MailServerMode, connections: 0 };
  const server = createServer((socket) => {
    state.connections += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => {});
    if (state.mode !== 'mute') converse(socket, () => state.mode, received);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  return {
    url: `smtp://127.0.0.1:${port}`,
    received,
    state,
    /** Waits for a mail to an address that `wanted` accepts; the newest one counts. */
    mailTo: (address: string, wanted = (_mail: ReceivedMail) => true): Promise<ReceivedMail> =>
      vi.waitFor(
        () => {
          const mail = received.findLast((one) => one.to.includes(address) && wanted(one));
          if (!mail) throw new Error(`no mail to ${address} among ${received.length}`);
          return mail;
        },
        { timeout: PATIENCE_MS, interval: 20 },
      ),
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** A mail server for tests. */
export type MailServer = Awaited<ReturnType<typeof startMailServer>>;

/** Settings by which a service sends its mails to the server and logs errors to `logged`. */
export const mailing = ({ url }: MailServer, logged: string[]) =>
  ({
    mailer: createMailer({ config: mailConfig.parse({ SMTP_URL: url }) }),
    publicUrl: () => 'https://images.example.com/',
    logger: createLogger({ level: 'warn', format: 'json', destination: { write: (line) => logged.push(line) } }),
  }) satisfies Partial<SignInDeps>;

/** The token of the link in a mail or in what was printed. */
export function tokenIn(text: string): string {
  const [, token] = /#token=(iwl_[0-9A-Za-z]{43})/.exec(text) ?? [];
  if (!token) throw new Error(`no link in ${text}`);
  return token;
}

/** The server's side of RFC 5321, as far as a client needs it. */
function converse(socket: Socket, mode: () => MailServerMode, received: ReceivedMail[]): void {
  let buffered = '';
  let inData = false;
  let envelope: { from: string; to: string[] } = { from: '', to: [] };
  const sendLine = (line: string) => socket.write(`${line}\r\n`);
  sendLine('220 test ESMTP');
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    buffered += chunk;
    for (;;) {
      const end = inData ? buffered.indexOf('\r\n.\r\n') : buffered.indexOf('\r\n');
      if (end < 0) return;
      const part = buffered.slice(0, end);
      buffered = buffered.slice(end + (inData ? 5 : 2));
      if (inData) {
        inData = false;
        received.push({ ...envelope, ...parse(part) });
        envelope = { from: '', to: [] };
        sendLine('250 taken');
      } else command(part);
    }
  });

  function command(line: string): void {
    const verb = line.slice(0, 4).toUpperCase();
    const address = /<(.*?)>/.exec(line)?.[1] ?? '';
    if (verb === 'EHLO') sendLine('250 test');
    else if (verb === 'MAIL') {
      if (mode() === 'busy') sendLine('451 come back later');
      else {
        envelope.from = address;
        sendLine('250 ok');
      }
    } else if (verb === 'RCPT') {
      envelope.to.push(address);
      sendLine('250 ok');
    } else if (verb === 'DATA') {
      inData = true;
      sendLine('354 go on');
    } else if (verb === 'QUIT') {
      sendLine('221 bye');
      socket.end();
    } else sendLine('250 ok');
  }
}

function parse(raw: string): { subject: string; text: string } {
  const split = raw.indexOf('\r\n\r\n');
  const headers = raw.slice(0, split).replace(/\r\n[ \t]+/g, ' ');
  const body = raw.slice(split + 4).replace(/^\.\./gm, '.');
  const text = /quoted-printable/i.test(headers) ? decodeQuotedPrintable(body) : body;
  return { subject: /^Subject: (.*)$/im.exec(headers)?.[1] ?? '', text };
}

function decodeQuotedPrintable(text: string): string {
  return text
    .replace(/=\r\n/g, '')
    .replace(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
