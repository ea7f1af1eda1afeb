import { getSystemErrorName } from 'node:util';
import type { MailConfig } from './config.ts';
import type { Mail } from './mailer.ts';
import { openTransport } from './open-transport.ts';

/** Why a mail server cannot be used. Carries no text of the server, since that may repeat the password. */
export interface MailFault {
  kind: 'refused' | 'unknown_host' | 'silent' | 'tls' | 'login' | 'sender' | 'closed' | 'no_mail_server' | 'other';
  /** Code of the failed connection, or of the server's refusal; empty if there is none. */
  detail: string;
}

interface MailCheck {
  url: string;
  from: MailConfig['MAIL_FROM'];
  /** Sent after the log-in; absent: nothing is sent. */
  mail?: Mail | undefined;
  /** Time limit of each step, in milliseconds. */
  limitMs: number;
}

/** Connects to the mail server and logs in, and sends a mail if it gets one. Null: it works. Never rejects. */
export async function checkMailServer({ url, from, mail, limitMs }: MailCheck): Promise<MailFault | null> {
  const transport = openTransport(url, limitMs);
  try {
    await transport.verify();
    if (mail) await transport.sendMail({ ...mail, from, to: { name: '', address: mail.to } });
    return null;
  } catch (error) {
    return faultOf(error as SmtpError);
  } finally {
    transport.close();
  }
}

/** Fields of an error of the mail client. */
interface SmtpError {
  code?: string;
  errno?: number;
  responseCode?: number;
}

function faultOf({ code = '', errno, responseCode }: SmtpError): MailFault {
  const system = typeof errno === 'number' ? getSystemErrorName(errno) : '';
  const detail = system || String(responseCode ?? code);
  if (code === 'EAUTH') return { kind: 'login', detail };
  if (code === 'EENVELOPE' || code === 'EMESSAGE') return { kind: 'sender', detail };
  if (code === 'EDNS' || system === 'ENOTFOUND' || system.startsWith('EAI_')) return { kind: 'unknown_host', detail };
  if (code === 'ETIMEDOUT' || system === 'ETIMEDOUT') return { kind: 'silent', detail: 'ETIMEDOUT' };
  if (system === 'ECONNREFUSED') return { kind: 'refused', detail };
  if (code === 'ETLS' || (code === 'ESOCKET' && system === '')) return { kind: 'tls', detail: 'TLS' };
  if (code === 'EPROTOCOL') return { kind: 'no_mail_server', detail };
  if (code === 'ECONNECTION' || system !== '') return { kind: 'closed', detail };
  return { kind: 'other', detail };
}
