import { z } from 'zod';

/** Settings of mail, by environment variable. */
export const mailConfig = z.object({
  SMTP_URL: z
    .url({
      protocol: /^smtps?$/,
      hostname: /./,
      error: 'expected a URL such as smtp://user:password@mail.example.com:587',
    })
    .optional()
    .describe(
      'SMTP server, e.g. `smtp://user:password@mail.example.com:587`, or `smtps://` for implicit TLS. Default: none; links are printed to standard output, for the operator to pass on.',
    ),
  MAIL_FROM: z
    .string()
    .max(320)
    .regex(
      /^[^\r\n]*[^\s@]+@[^\s@]+$|^[^\r\n]*<[^\s@<>]+@[^\s@<>]+>$/,
      'expected an email address, or a name and <address>',
    )
    .default('Imagewright <imagewright@localhost>')
    .describe('Sender of the mails, e.g. `Imagewright <images@example.com>`.'),
});

/** Parsed settings of mail. */
export type MailConfig = z.output<typeof mailConfig>;
