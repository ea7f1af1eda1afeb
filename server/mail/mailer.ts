import type { MailConfig } from './config.ts';
import { openTransport } from './open-transport.ts';

/** A mail, in plain text. */
export interface Mail {
  /** Address, without a name. */
  to: string;
  subject: string;
  text: string;
}

interface MailerDeps {
  config: MailConfig;
  /** Prints mails for the operator if no server is configured. @default standard output */
  print?: (text: string) => void;
}

/** Timeout of the mail server in ms, so that an unresponsive one does not block the queue. */
const TIMEOUT_MS = 15_000;

/**
 * Creates the mailer. It sends mails through the configured server; without one it prints them to standard output, not to
 * the log, which would mask the links.
 */
export function createMailer({ config, print = (text) => process.stdout.write(text) }: MailerDeps) {
  const { SMTP_URL, MAIL_FROM } = config;
  const transport = SMTP_URL === undefined ? undefined : openTransport(SMTP_URL, TIMEOUT_MS);
  return {
    /** True if a mail server is configured. */
    sends: transport !== undefined,

    /** Sends a mail. Rejects if the server does not accept it. */
    async send({ to, subject, text }: Mail): Promise<void> {
      if (transport) {
        await transport.sendMail({ from: MAIL_FROM, to: { name: '', address: to }, subject, text });
        return;
      }
      const body = text.trimEnd().replaceAll(/^(?=.)/gm, '    ');
      print(`\n  No mail server is configured (SMTP_URL). Pass this on to ${to}:\n\n    ${subject}\n\n${body}\n\n`);
    },

    close: () => transport?.close(),
  };
}

/** Mailer. */
export type Mailer = ReturnType<typeof createMailer>;
