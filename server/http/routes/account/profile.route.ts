import { defineRoute } from '../../define-route.ts';
import { showProfile } from '../../show-profile.ts';
import { signInUser } from '../../sign-in-user.ts';

/** `GET /account/profile`. */
export const getProfileRoute = defineRoute('getProfile', ({ account }, services) => showProfile(account.id, services));

/** `PATCH /account/profile`: a new address takes effect when the link sent to it is opened. */
export const updateProfileRoute = defineRoute('updateProfile', async ({ account, body }, services) => {
  await services.signIn.emailChange.request(account, body);
  return showProfile(account.id, services);
});

/** `POST /account/password`: ends all browser sessions and opens a new one. */
export const changePasswordRoute = defineRoute('changePassword', async ({ ctx, account, body }, services) => {
  await signInUser(ctx, services, (visitor) => services.signIn.passwords.change(account, body, visitor));
  ctx.status = 204;
});

/** `POST /account/delete`: deletes the account and all of its data. */
export const deleteAccountRoute = defineRoute('deleteAccount', async ({ ctx, account, body }, services) => {
  await services.signIn.confirmPassword(account.id, body.password);
  await services.accountRemoval.remove(account.id);
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
