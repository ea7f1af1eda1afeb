// Owns sending mail. Must not know the contents of mails or accounts.
export { type MailConfig, mailConfig } from './config.ts';
export { createMailer, type Mail, type Mailer } from './mailer.ts';
