import { z } from 'zod';
import {
  confirmationSchema,
  confirmedSchema,
  emailConfirmedSchema,
  jobHistoryQuerySchema,
  jobHistorySchema,
  ledgerFilterSchema,
  ledgerQuerySchema,
  passwordChangeSchema,
  planListSchema,
  profilePatchSchema,
  profileSchema,
  usageQuerySchema,
  usageSchema,
  visitSchema,
} from './account.ts';
import { transactionPageSchema } from './credits.ts';
import type { Endpoint } from './endpoint.ts';
import { loginIdSchema } from './ids.ts';
import { KEY_ENDPOINTS } from './key-endpoints.ts';
import {
  accountOptionsSchema,
  claimRequestSchema,
  emailRequestSchema,
  linkPasswordSchema,
  linkRequestSchema,
  linkSchema,
  linkSentSchema,
  logInRequestSchema,
  loginListSchema,
  revokedSchema,
} from './log-in.ts';

const base = { tag: 'Account', auth: 'login', idempotent: false, errors: [] } as const;
const open = { ...base, auth: 'none' } as const;
const empty = { status: 204, kind: 'empty' } as const;
const profile = { status: 200, kind: 'json', schema: profileSchema } as const;
const linkSent = { status: 202, kind: 'json', schema: linkSentSchema } as const;

/** Errors of endpoints that sign a user in. */
const LOG_IN_ERRORS = ['account_suspended', 'tls_required', 'overloaded'] as const;
/** Errors of endpoints that take a link and a new password. */
const LINK_ERRORS = ['invalid_link', 'weak_password', 'cookie_refused', ...LOG_IN_ERRORS] as const;
/** Errors of endpoints that are confirmed with the password. */
const CONFIRM_ERRORS = ['wrong_password', 'too_many_attempts', 'overloaded'] as const;

/** The endpoints of a person's own account. */
export const ACCOUNT_ENDPOINTS = {
  getAccountOptions: {
    ...open,
    method: 'GET',
    path: '/account/options',
    summary: 'Sign-up options and password rules',
    success: { status: 200, kind: 'json', schema: accountOptionsSchema },
  },
  getVisit: {
    ...open,
    method: 'GET',
    path: '/account/visit',
    summary: 'The account that is logged in, or null: a page may ask without an error for visitors',
    success: { status: 200, kind: 'json', schema: visitSchema },
    errors: ['account_suspended'],
  },
  signUp: {
    ...open,
    method: 'POST',
    path: '/account/sign-up',
    summary: 'Request a link that creates an account; the same response for every email address',
    body: emailRequestSchema,
    success: linkSent,
    errors: ['sign_up_closed', 'too_many_attempts'],
  },
  confirmSignUp: {
    ...open,
    method: 'POST',
    path: '/account/sign-up/confirm',
    summary: 'Create the account with the link and a password, and log in',
    body: linkPasswordSchema,
    success: { status: 201, kind: 'json', schema: profileSchema },
    errors: [...LINK_ERRORS, 'email_taken', 'sign_up_closed'],
  },
  logIn: {
    ...open,
    method: 'POST',
    path: '/account/log-in',
    summary: 'Log in; sets the cookie',
    body: logInRequestSchema,
    success: profile,
    errors: ['wrong_credentials', 'too_many_attempts', ...LOG_IN_ERRORS],
  },
  logOut: {
    ...open,
    method: 'POST',
    path: '/account/log-out',
    summary: 'Log out; succeeds without a log-in too',
    success: empty,
  },
  requestPasswordReset: {
    ...open,
    method: 'POST',
    path: '/account/password-reset',
    summary: 'Request a link to set a new password; the same response for every email address',
    body: emailRequestSchema,
    success: linkSent,
    errors: ['too_many_attempts'],
  },
  resetPassword: {
    ...open,
    method: 'POST',
    path: '/account/password-reset/confirm',
    summary: 'Set a new password with the link, end all log-ins, and log in',
    body: linkPasswordSchema,
    success: profile,
    errors: LINK_ERRORS,
  },
  claimAccount: {
    ...open,
    method: 'POST',
    path: '/account/claim',
    summary: 'Claim an account with a one-time link, and log in',
    body: claimRequestSchema,
    success: profile,
    errors: [...LINK_ERRORS, 'email_taken'],
  },
  readLink: {
    ...open,
    method: 'POST',
    path: '/account/link',
    summary: 'Read the purpose of a one-time link without using it up',
    body: linkRequestSchema,
    success: { status: 200, kind: 'json', schema: linkSchema },
    errors: ['invalid_link'],
  },
  confirmEmail: {
    ...open,
    method: 'POST',
    path: '/account/email/confirm',
    summary: 'Confirm a new email address with the link that was sent to it',
    body: linkRequestSchema,
    success: { status: 200, kind: 'json', schema: emailConfirmedSchema },
    errors: ['invalid_link', 'email_taken', 'account_suspended'],
  },
  getProfile: {
    ...base,
    method: 'GET',
    path: '/account/profile',
    summary: 'Read the account that is logged in',
    success: profile,
  },
  updateProfile: {
    ...base,
    method: 'PATCH',
    path: '/account/profile',
    summary: 'Change the email address; takes effect when the link sent to the new one is opened',
    body: profilePatchSchema,
    success: profile,
    errors: CONFIRM_ERRORS,
  },
  changePassword: {
    ...base,
    method: 'POST',
    path: '/account/password',
    summary: 'Change the password; ends all other log-ins and renews this one',
    body: passwordChangeSchema,
    success: empty,
    errors: [...CONFIRM_ERRORS, 'weak_password', 'tls_required'],
  },
  confirmPassword: {
    ...base,
    method: 'POST',
    path: '/account/confirm-password',
    summary:
      'Confirm this log-in with the password, for 10 minutes; operators need it to change accounts and make keys',
    body: confirmationSchema,
    success: { status: 200, kind: 'json', schema: confirmedSchema },
    errors: CONFIRM_ERRORS,
  },
  deleteAccount: {
    ...base,
    method: 'POST',
    path: '/account/delete',
    summary: 'Delete the account with all its sessions, files, keys and usage data, permanently',
    body: confirmationSchema,
    success: empty,
    errors: CONFIRM_ERRORS,
  },
  listLogins: {
    ...base,
    method: 'GET',
    path: '/account/logins',
    summary: 'List the log-ins of this account, newest first',
    success: { status: 200, kind: 'json', schema: loginListSchema },
  },
  revokeLogin: {
    ...base,
    method: 'DELETE',
    path: '/account/logins/:loginId',
    summary: 'End one log-in',
    params: z.object({ loginId: loginIdSchema }),
    success: empty,
    errors: ['not_found'],
  },
  revokeOtherLogins: {
    ...base,
    method: 'DELETE',
    path: '/account/logins',
    summary: 'End every log-in but this one',
    success: { status: 200, kind: 'json', schema: revokedSchema },
  },
  ...KEY_ENDPOINTS,
  getUsage: {
    ...base,
    method: 'GET',
    path: '/account/usage',
    summary: 'Images, credits and bytes by day, in UTC',
    query: usageQuerySchema,
    success: { status: 200, kind: 'json', schema: usageSchema },
  },
  listJobs: {
    ...base,
    method: 'GET',
    path: '/account/jobs',
    summary: 'The newest jobs, including those whose session has ended',
    query: jobHistoryQuerySchema,
    success: { status: 200, kind: 'json', schema: jobHistorySchema },
  },
  listLedger: {
    ...base,
    method: 'GET',
    path: '/account/ledger',
    summary: 'The ledger of credits, newest first, optionally by kind and day',
    query: ledgerQuerySchema,
    success: { status: 200, kind: 'json', schema: transactionPageSchema },
  },
  exportLedger: {
    ...base,
    method: 'GET',
    path: '/account/ledger.csv',
    summary: 'The whole ledger as a CSV file',
    query: ledgerFilterSchema,
    success: { status: 200, kind: 'csv' },
  },
  listPlans: {
    ...base,
    method: 'GET',
    path: '/account/plans',
    summary: 'The plans of this service',
    success: { status: 200, kind: 'json', schema: planListSchema },
  },
} as const satisfies Record<string, Endpoint>;
