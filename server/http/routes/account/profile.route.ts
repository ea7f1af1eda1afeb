import { AppError } from '../../../errors.ts';
import { defineRoute } from '../../define-route.ts';
import { operateOnOwn } from '../../operate.ts';
import { showProfile } from '../../show-profile.ts';
import { signInUser } from '../../sign-in-user.ts';
import { visitorOf } from '../../visitor.ts';

/** `GET /account/profile`. */
export const getProfileRoute = defineRoute('getProfile', ({ account }, services) => showProfile(account.id, services));

/** `GET /account/visit`: browsers write each refused request to the console, so that of a visitor is not refused. */
export const getVisitRoute = defineRoute('getVisit', async ({ ctx }, services) => {
  const check = await services.signIn.browserSessions.check(services.gateway.cookie.read(ctx));
  if (check.outcome === 'unknown') return { profile: null };
  if (check.outcome !== 'valid') throw new AppError('account_suspended', 'This account is suspended');
  return { profile: await showProfile(check.account.id, services) };
});

/** `PATCH /account/profile`: a new address takes effect when the link sent to it is opened. */
export const updateProfileRoute = defineRoute('updateProfile', async ({ ctx, account, body }, services) => {
  await services.signIn.emailChange.request(account, body, visitorOf(ctx));
  return showProfile(account.id, services);
});

/** `POST /account/password`: ends all browser sessions and opens a new one. */
export const changePasswordRoute = defineRoute('changePassword', async ({ ctx, account, body }, services) => {
  await signInUser(ctx, services, (visitor) => services.signIn.passwords.change(account, body, visitor));
  ctx.status = 204;
});

/** `POST /account/confirm-password`: the log-in may change accounts and make keys for some minutes. */
export const confirmPasswordRoute = defineRoute(
  'confirmPassword',
  async ({ ctx, account, body, loginId }, { signIn }) => {
    await signIn.confirmPassword(account.id, body.password, visitorOf(ctx));
    return { confirmedUntil: (await signIn.browserSessions.confirm(account.id, loginId)).toISOString() };
  },
);

/** `POST /account/delete`: deletes the account and all of its data. */
export const deleteAccountRoute = defineRoute('deleteAccount', async (input, services) => {
  const { ctx, account, body } = input;
  await services.signIn.confirmPassword(account.id, body.password, visitorOf(ctx));
  const { id: target, email } = account;
  // The log keeps ids of users only, but the email addresses of operators.
  const deletion = { action: 'account.delete', target, change: { email } } as const;
  await operateOnOwn(input, deletion, services, () => services.accountRemoval.remove(target));
  services.gateway.cookie.clear(ctx);
  ctx.status = 204;
});

/** `GET /account/plans`. */
export const listPlansRoute = defineRoute('listPlans', async ({ account }, { accounts }) => ({
  plans: accounts.plans.list().map((plan) => ({
    ...plan,
    rateLimit: plan.rateLimit ?? null,
    samplesPerDay: plan.samplesPerDay ?? null,
    analysesPerDay: plan.analysesPerDay ?? null,
    storageMb: plan.storageMb ?? null,
    sessions: plan.sessions ?? null,
  })),
  current: account.plan,
}));
