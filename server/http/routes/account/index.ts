import type { Route } from '../../define-route.ts';
import { listLoginsRoute, revokeLoginRoute, revokeOtherLoginsRoute } from './browser-sessions.route.ts';
import { exportLedgerRoute, getUsageRoute, listJobsRoute, listLedgerRoute } from './figures.route.ts';
import { createKeyRoute, deleteKeyRoute, listKeysRoute, updateKeyRoute } from './keys.route.ts';
import {
  auditCreditsRoute,
  createAccountLinkRoute,
  inviteAccountRoute,
  listAccountsRoute,
  removeAccountRoute,
  updateAccountRoute,
} from './operator.route.ts';
import {
  exportAccountLedgerRoute,
  grantCreditsRoute,
  listAccountLedgerRoute,
  withdrawCreditsRoute,
} from './operator-credits.route.ts';
import { exportOperatorLogLinesRoute, exportOperatorLogRoute, listOperatorLogRoute } from './operator-log.route.ts';
import {
  changePasswordRoute,
  confirmPasswordRoute,
  deleteAccountRoute,
  getProfileRoute,
  getVisitRoute,
  listPlansRoute,
  updateProfileRoute,
} from './profile.route.ts';
import { getServiceStateRoute, getServiceUsageRoute } from './service.route.ts';
import { logInRoute, logOutRoute } from './sign-in.route.ts';
import {
  claimAccountRoute,
  confirmEmailRoute,
  confirmSignUpRoute,
  getAccountOptionsRoute,
  readLinkRoute,
  requestPasswordResetRoute,
  resetPasswordRoute,
  signUpRoute,
} from './sign-up.route.ts';

/** Every route below /account. */
export const ACCOUNT_ROUTES: Route[] = [
  getAccountOptionsRoute,
  getVisitRoute,
  signUpRoute,
  confirmSignUpRoute,
  logInRoute,
  logOutRoute,
  requestPasswordResetRoute,
  resetPasswordRoute,
  claimAccountRoute,
  readLinkRoute,
  confirmEmailRoute,
  getProfileRoute,
  updateProfileRoute,
  changePasswordRoute,
  confirmPasswordRoute,
  deleteAccountRoute,
  listLoginsRoute,
  revokeLoginRoute,
  revokeOtherLoginsRoute,
  listKeysRoute,
  createKeyRoute,
  updateKeyRoute,
  deleteKeyRoute,
  getUsageRoute,
  listJobsRoute,
  listLedgerRoute,
  exportLedgerRoute,
  listPlansRoute,
  listAccountsRoute,
  inviteAccountRoute,
  updateAccountRoute,
  grantCreditsRoute,
  withdrawCreditsRoute,
  createAccountLinkRoute,
  removeAccountRoute,
  listAccountLedgerRoute,
  exportAccountLedgerRoute,
  getServiceUsageRoute,
  getServiceStateRoute,
  listOperatorLogRoute,
  exportOperatorLogRoute,
  exportOperatorLogLinesRoute,
  auditCreditsRoute,
];
