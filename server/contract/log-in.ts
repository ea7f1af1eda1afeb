import { z } from 'zod';
import { loginIdSchema } from './ids.ts';

/** Fewest characters of a password. */
export const PASSWORD_MIN_LENGTH = 10;
/** Most characters of a password: hashing must not become work for megabytes. */
export const PASSWORD_MAX_LENGTH = 200;

/** As zod has it, but with the top-level domains of private networks (`a@b.c`) and of other scripts (`xn--p1ai`). */
const EMAIL =
  /^(?:[A-Za-z0-9_'+-]+\.)*[A-Za-z0-9_'+-]*[A-Za-z0-9_+-]@(?:[A-Za-z0-9][A-Za-z0-9-]*\.)+[A-Za-z](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;

/** A mail address as somebody types it. */
export const emailSchema = z
  .string({ error: 'expected a mail address' })
  .trim()
  .toLowerCase()
  .pipe(z.email({ pattern: EMAIL, error: 'expected a mail address' }).max(254))
  .describe('Mail address; its case does not count.');

/** A password that is being chosen; further rules are checked where the account is known. */
export const newPasswordSchema = z
  .string({ error: `expected a password of ${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters` })
  .max(PASSWORD_MAX_LENGTH, `expected at most ${PASSWORD_MAX_LENGTH} characters`)
  .describe(
    `${PASSWORD_MIN_LENGTH} to ${PASSWORD_MAX_LENGTH} characters; neither the mail address nor a common password.`,
  );

/** A password that exists; a wrong one of any form is simply wrong. */
export const passwordSchema = z
  .string({ error: 'expected the password' })
  .min(1, 'expected the password')
  .max(1000, 'expected at most 1000 characters')
  .describe('The password of the account.');

/** The secret of a one-time link; it stands behind `#token=` in the link. */
export const linkTokenSchema = z
  .string({ error: 'expected the token of a link' })
  .min(1)
  .max(200)
  .describe('What stands behind `#token=` in the link.');

/** What one-time links are for. */
export const LINK_PURPOSES = ['claim', 'sign-up', 'reset', 'email'] as const;
export type LinkPurpose = (typeof LINK_PURPOSES)[number];

/** `GET /account/options`. */
export const accountOptionsSchema = z
  .object({
    signUp: z.enum(['open', 'closed']),
    delivery: z
      .enum(['mail', 'operator'])
      .describe('How links arrive: by mail, or printed where the service runs, for the operator to pass on.'),
    password: z.object({ minLength: z.int(), maxLength: z.int() }),
  })
  .meta({ id: 'AccountOptions' });
export type AccountOptions = z.output<typeof accountOptionsSchema>;

/** Body of `POST /account/sign-up` and `POST /account/password-reset`. */
export const emailRequestSchema = z.object({ email: emailSchema }).meta({ id: 'EmailRequest' });

/** The answer to both; the same whether or not there is such an account. */
export const linkSentSchema = z
  .object({
    delivery: accountOptionsSchema.shape.delivery,
    message: z.string().describe('The same for every mail address.'),
  })
  .meta({ id: 'LinkSent' });
export type LinkSent = z.output<typeof linkSentSchema>;

/** Body of `POST /account/log-in`. */
export const logInRequestSchema = z
  .object({ email: emailSchema, password: passwordSchema })
  .meta({ id: 'LogInRequest' });

/** Body of what a link together with a new password does. */
export const linkPasswordSchema = z
  .object({ token: linkTokenSchema, password: newPasswordSchema })
  .meta({ id: 'LinkPassword' });

/** Body of `POST /account/claim`. */
export const claimRequestSchema = linkPasswordSchema
  .extend({
    email: emailSchema
      .optional()
      .describe('Mail address of the account, where the one that it has is made up; any other is refused.'),
  })
  .meta({ id: 'ClaimRequest' });

/** Body of requests that need nothing but a link. */
export const linkRequestSchema = z.object({ token: linkTokenSchema }).meta({ id: 'LinkRequest' });

/** What a link is good for; reading does not use it up. */
export const linkSchema = z
  .object({
    purpose: z.enum(LINK_PURPOSES),
    email: z.string().describe('Mail address that the account has, or gets.'),
    placeholderEmail: z.boolean().describe('The address is made up: whoever claims the account has to name their own.'),
    expiresAt: z.iso.datetime(),
  })
  .meta({ id: 'Link' });
export type Link = z.output<typeof linkSchema>;

/** One log-in of the account: a browser that holds a cookie. */
export const loginSchema = z
  .object({
    id: loginIdSchema,
    current: z.boolean().describe('The one that makes this request.'),
    createdAt: z.iso.datetime(),
    lastSeenAt: z.iso.datetime().describe('Accurate to a minute.'),
    expiresAt: z.iso.datetime().describe('When it ends unless it is used.'),
    address: z.string().describe('Network address that logged in.'),
    userAgent: z.string().describe('What the browser called itself.'),
  })
  .meta({ id: 'Login' });
export type Login = z.output<typeof loginSchema>;

/** `GET /account/logins`. */
export const loginListSchema = z.object({ logins: z.array(loginSchema) }).meta({ id: 'LoginList' });

/** The answer to ending all other log-ins. */
export const revokedSchema = z
  .object({ revoked: z.int().describe('Log-ins that were ended.') })
  .meta({ id: 'Revoked' });
