// Owns sending mail. Must not know the contents of mails or accounts.
export { checkMailServer, type MailFault } from './check-mail-server.ts';
export { type MailConfig, mailConfig } from './config.ts';
export { createMailer, type Mail, type Mailer } from './mailer.ts';
