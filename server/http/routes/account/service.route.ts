import { defineRoute } from '../../define-route.ts';
import { reportServiceUsage } from '../../usage-report.ts';

/** `GET /account/operator/usage`. */
export const getServiceUsageRoute = defineRoute('getServiceUsage', ({ query }, services) =>
  reportServiceUsage(query, services),
);

/** `GET /account/operator/state`. */
export const getServiceStateRoute = defineRoute('getServiceState', async (_input, { describeState, signIn }) => {
  const [state, mail] = await Promise.all([describeState(), signIn.mailState()]);
  return { ...state, mail };
});
