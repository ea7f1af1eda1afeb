import { z } from 'zod';

/** The environment variables that steer mail; keys are the variables' names. */
export const mailConfig = z.object({
  SMTP_URL: z
    .url({
      protocol: /^smtps?$/,
      hostname: /./,
      error: 'expected a URL such as smtp://user:password@mail.example.com:587',
    })
    .optional()
    .describe(
      'Server that mail is sent through, e.g. `smtp://user:password@mail.example.com:587`, or `smtps://` for TLS from the first byte. Default: none; links are printed where the service runs, for the operator to pass on.',
    ),
  MAIL_FROM: z
    .string()
    .max(320)
    .regex(
      /^[^\r\n]*[^\s@]+@[^\s@]+$|^[^\r\n]*<[^\s@<>]+@[^\s@<>]+>$/,
      'expected a mail address, or a name and <address>',
    )
    .default('Imagewright <imagewright@localhost>')
    .describe('Sender of the mails, e.g. `Imagewright <images@example.com>`.'),
});

/** The mail settings after parsing. */
export type MailConfig = z.output<typeof mailConfig>;
