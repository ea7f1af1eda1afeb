import { z } from 'zod';
import { closedObject } from './closed-object.ts';
import { loginIdSchema } from './ids.ts';
import { namedEnum } from './named-enum.ts';

/** Fewest characters of a password. */
export const PASSWORD_MIN_LENGTH = 10;
/** Most characters of a password; bounds the cost of hashing. */
export const PASSWORD_MAX_LENGTH = 200;

/** Pattern of zod, extended by top-level domains of private networks (`a@b.c`) and other scripts (`xn--p1ai`). */
const EMAIL =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;

/** An email address as typed by a user. */
export const emailSchema = z
  .string({ error: 'expected an email address' })
  .trim()
  .toLowerCase()
  .pipe(z.email({ pattern: EMAIL, error: 'expected an email address' }).max(254))
  .meta({ description: 'Email address, case-insensitive.', format: 'email', maxLength: 254, pattern: EMAIL.source });

/** A new password; further rules are checked with the account. */
export const newPasswordSchema = z
  .string({ error: `expected a password of ${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters` })
  .max(PASSWORD_MAX_LENGTH, `expected at most ${PASSWORD_MAX_LENGTH} characters`)
  .meta({
    description: `${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters; neither the email address nor a common password.`,
    // Checked with the other rules, which name what is broken.
    minLength: PASSWORD_MIN_LENGTH,
  });

/** An existing password; its form is not checked. */
export const passwordSchema = z
  .string({ error: 'expected the password' })
  .min(1, 'expected the password')
  .max(1000, 'expected at most 1000 characters')
  .describe('The password of the account.');

/** The secret of a one-time link, after `#token=`. */
export const linkTokenSchema = z
  .string({ error: 'expected the token of a link' })
  .min(1)
  .max(200)
  .describe('The part of the link after `#token=`.');

/** Purposes of one-time links. */
export const LINK_PURPOSES = ['claim', 'sign-up', 'reset', 'email'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** `GET /account/options`. */
export const accountOptionsSchema = z
  .object({
    signUp: namedEnum('SignUpMode', ['open', 'closed']),
    delivery: namedEnum('LinkDelivery', ['mail', 'operator']).describe(
      'Delivery of links: by mail, or printed in the log of the service for the operator to pass on.',
    ),
    password: z.object({ minLength: z.int(), maxLength: z.int() }),
    descriptions: namedEnum('DescriptionPlace', ['off', 'local', 'elsewhere']).describe(
      'Where images are described: nowhere, in the network of this service, or by a service elsewhere.',
    ),
  })
  .meta({ id: 'AccountOptions' });
export type AccountOptions = z.output<typeof accountOptionsSchema>;

/** Body of `POST /account/sign-up` and `POST /account/password-reset`. */
export const emailRequestSchema = closedObject({ email: emailSchema }).meta({ id: 'EmailRequest' });

/** Response of both; the same whether or not the account exists. */
export const linkSentSchema = z
  .object({
    delivery: accountOptionsSchema.shape.delivery,
    message: z.string().describe('The same for every email address.'),
  })
  .meta({ id: 'LinkSent' });
export type LinkSent = z.output<typeof linkSentSchema>;

/** Body of `POST /account/log-in`. */
export const logInRequestSchema = closedObject({ email: emailSchema, password: passwordSchema }).meta({
  id: 'LogInRequest',
});

/** Body of requests with a link and a new password. */
export const linkPasswordSchema = closedObject({ token: linkTokenSchema, password: newPasswordSchema }).meta({
  id: 'LinkPassword',
});

/** Body of `POST /account/claim`. */
export const claimRequestSchema = linkPasswordSchema
  .extend({
    email: emailSchema
      .optional()
      .describe('Email address of the account, if it has a placeholder address; else it must be the same.'),
  })
  .meta({ id: 'ClaimRequest' });

/** Body of requests with a link alone. */
export const linkRequestSchema = closedObject({ token: linkTokenSchema }).meta({ id: 'LinkRequest' });

/** Purpose of a link; reading does not use it up. */
export const linkSchema = z
  .object({
    purpose: namedEnum('LinkPurpose', LINK_PURPOSES),
    email: z.string().describe('Current or new email address of the account.'),
    placeholderEmail: z.boolean().describe('The address is a placeholder: the claim must contain a real one.'),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Link' });
export type Link = z.output<typeof linkSchema>;

/** One log-in of the account: a browser with a cookie. */
export const loginSchema = z
  .object({
    id: loginIdSchema,
    current: z.boolean().describe('True for the log-in of this request.'),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime().describe('Accurate to a minute.'),
    expiresAt: z.iso.datetime().describe('Expiry unless it is used.'),
    address: z.string().describe('Network address of the log-in.'),
    userAgent: z.string().describe('User agent of the browser.'),
  })
  .meta({ id: 'Login' });
export type Login = z.output<typeof loginSchema>;

/** `GET /account/logins`. */
export const loginListSchema = z.object({ logins: z.array(loginSchema) }).meta({ id: 'LoginList' });

/** Response of ending all other log-ins. */
export const revokedSchema = z
  .object({ revoked: z.int().describe('Number of ended log-ins.') })
  .meta({ id: 'Revoked' });
