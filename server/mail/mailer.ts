import { createTransport } from 'nodemailer';
import type { MailConfig } from './config.ts';

/** A mail, in plain text. */
export interface Mail {
  /** Address, without a name. */
  to: string;
  subject: string;
  text: string;
}

/** What {@link createMailer} works with. */
export interface MailerDeps {
  config: MailConfig;
  /** Shows the operator a mail that cannot be sent, since there is no server. @default standard output */
  print?: (text: string) => void;
}

/** A server that does not answer must not hold up the mails behind it, in milliseconds. */
const ANSWER_MS = 15_000;

/**
 * Makes what sends mails: through the configured server, or, without one, onto the operator's terminal. To standard
 * output and not to the log, which masks what the operator has to read.
 */
export function createMailer({ config, print = (text) => process.stdout.write(text) }: MailerDeps) {
  const { SMTP_URL, MAIL_FROM } = config;
  const transport =
    SMTP_URL === undefined
      ? undefined
      : createTransport({
          url: SMTP_URL,
          connectionTimeout: ANSWER_MS,
          greetingTimeout: ANSWER_MS,
          socketTimeout: ANSWER_MS,
          dnsTimeout: ANSWER_MS,
          disableFileAccess: true,
          disableUrlAccess: true,
        });
  return {
    /** Whether mails are really sent. */
    sends: transport !== undefined,

    /** Sends a mail. Rejects when the server does not take it. */
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

/** What sends mails. */
export type Mailer = ReturnType<typeof createMailer>;
