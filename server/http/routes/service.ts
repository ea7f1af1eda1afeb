import { analyzeRequestSchema, type CreditCheckRequest, LATER_FIELDS } from '#contract';
import { AppError } from '../../errors.ts';
import type { Caller } from '../../gateway/index.ts';
import type { Handlers, Services } from '../handlers.ts';

/** Handlers of credits and of the service itself. */
export const SERVICE_ROUTES = {
  getBalance: async ({ account }, { gateway, accounts }) => ({
    ...(await gateway.billing.balance(account.id)),
    limits: await accounts.limits.show(account.id),
  }),

  /** `POST /v1/credits/check`: returns the cost of a batch; charges nothing. */
  checkCredits: async ({ account, body }, services) => {
    const { billing } = services.gateway;
    const order = await analysisOf(account, body, services);
    if (!order) return billing.check(account, body);
    const payable = await services.analyzeImages.countNew(order);
    return billing.check(account, { operation: 'analyze', imageCount: order.images.length, payable });
  },

  /** `GET /v1/credits/transactions`: the ledger, newest first. */
  listTransactions: ({ account, query }, services) => services.accounts.transactions.page(account.id, query),

  getLimits: async (_input, { limits }) => ({ ...limits, requestFields: [...LATER_FIELDS] }),

  getOpenApi: ({ ctx }, services) => services.openApi.send(ctx),
} satisfies Partial<Handlers>;

/**
 * Returns the analysis that a check names by its session; null: the check names a number of images alone.
 * @throws session_not_found, image_not_found, duplicate_image, no_images, invalid_request
 */
async function analysisOf(
  { id: accountId, token }: Caller,
  { sessionId, operation, imageCount, images, options }: CreditCheckRequest,
  { analyzeImages }: Services,
) {
  const isCounted = typeof (images ?? imageCount) === 'number';
  if (!sessionId || operation !== 'analyze' || isCounted) return null;
  if (token && token.sessionId !== sessionId) {
    throw new AppError('session_not_found', 'The session token is for another session');
  }
  const parsed = analyzeRequestSchema.safeParse({ options, images });
  if (!parsed.success) throw new AppError('invalid_request', 'images: expected ids of images of the session');
  return analyzeImages.resolve({ accountId, sessionId, body: parsed.data });
}
