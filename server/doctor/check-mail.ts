import type { CheckLine } from '#contract';
import { checkMailServer, type Mail, type MailConfig, type MailFault } from '../mail/index.ts';
import { linesOf } from './lines.ts';

const FOUND: Record<MailFault['kind'], string> = {
  refused: 'nothing listens there',
  unknown_host: 'the name of the host is unknown',
  silent: 'no answer in time',
  tls: 'the certificate or the encryption is refused',
  login: 'the log-in is refused',
  sender: 'the mail is refused',
  closed: 'the connection was closed',
  no_mail_server: 'it refuses to talk, or is no mail server',
  other: 'it failed',
};
const REMEDIES: Record<MailFault['kind'], string> = {
  refused: 'start the mail server, or correct host and port in SMTP_URL',
  unknown_host: 'correct the host in SMTP_URL, or what resolves names on this machine',
  silent: 'look for a firewall (many block port 25 and want 587), or correct host and port in SMTP_URL',
  tls: 'smtps:// is for port 465, smtp:// for 587; name the host as in its certificate, and its authority with NODE_EXTRA_CA_CERTS',
  login: 'correct user and password in SMTP_URL; special characters are written as %40 and the like',
  sender: 'set MAIL_FROM to an address that this account may send from',
  closed: 'smtp:// and smtps:// may be mixed up in SMTP_URL; else look into the log of the mail server',
  no_mail_server: 'correct host and port in SMTP_URL, or allow this machine to send there',
  other: 'look into the log of the mail server',
};

interface MailCheckInput {
  config: MailConfig;
  /** Address of a test mail; absent: none is sent. */
  to?: string | undefined;
  limitMs: number;
}

/** Connects to the mail server and logs in; sends a test mail only if it is told where to. */
export async function checkMail({ config, to, limitMs }: MailCheckInput): Promise<CheckLine[]> {
  const { SMTP_URL: url, MAIL_FROM: from } = config;
  if (url === undefined) {
    const line = linesOf('mail', 'SMTP_URL');
    if (to !== undefined) return [line.fault('not_set', 'no mail server is set', 'set SMTP_URL')];
    const remedy = 'set SMTP_URL if people shall get their links by mail';
    return [line.off('not_set', 'no mail server is set; links are printed in the log', remedy)];
  }
  const { protocol, host } = new URL(url);
  const act = to === undefined ? 'connects and logs in' : `sends a mail to ${to}`;
  const line = linesOf('mail', `${protocol}//${host} (SMTP_URL): ${act}`);
  const fault = await checkMailServer({ url, from, limitMs, ...(to !== undefined && { mail: testMail(to) }) });
  if (fault) return [line.fault(fault.kind, `${FOUND[fault.kind]} (${fault.detail})`, REMEDIES[fault.kind])];
  const lines = [to === undefined ? line.ok('works', 'it takes the log-in') : line.ok('sent', 'it took the mail')];
  if (/@localhost>?$/.test(from)) {
    const remedy = 'set MAIL_FROM to an address of your own, or many servers will refuse the mails';
    lines.push(linesOf('mail', 'MAIL_FROM').warning('local_sender', 'the sender is an address at localhost', remedy));
  }
  return lines;
}

const testMail = (to: string): Mail => ({
  to,
  subject: 'Imagewright: test mail',
  text: 'An operator of Imagewright has checked that the service can send mail. It can.\n',
});
