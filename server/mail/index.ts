// Owns how a mail leaves the service. Must not know what mails are about, nor accounts.
export { type MailConfig, mailConfig } from './config.ts';
export { createMailer, type Mail, type Mailer } from './mailer.ts';
