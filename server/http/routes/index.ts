import type { Route } from '../define-route.ts';
import { ACCOUNT_ROUTES } from './account/index.ts';
import { addImagesRoute } from './add-images.route.ts';
import { analyzeImagesFlatRoute, analyzeImagesRoute } from './analyze-images.route.ts';
import { cancelJobRoute } from './cancel-job.route.ts';
import { checkCreditsRoute } from './check-credits.route.ts';
import { createSessionRoute } from './create-session.route.ts';
import { createTokenRoute } from './create-token.route.ts';
import { deleteSessionRoute } from './delete-session.route.ts';
import { downloadFileRoute } from './download-file.route.ts';
import { exportImagesFlatRoute, exportImagesRoute } from './export-images.route.ts';
import { followJobRoute } from './follow-job.route.ts';
import { getAnalysisRoute } from './get-analysis.route.ts';
import { getBalanceRoute } from './get-balance.route.ts';
import { getJobRoute } from './get-job.route.ts';
import { getLimitsRoute } from './get-limits.route.ts';
import { getOpenApiRoute } from './get-open-api.route.ts';
import { getSessionRoute } from './get-session.route.ts';
import { listSessionsRoute } from './list-sessions.route.ts';
import { listTransactionsRoute } from './list-transactions.route.ts';
import { previewImageRoute } from './preview-image.route.ts';
import { sampleImagesRoute } from './sample-images.route.ts';
import {
  answerSharedImageRoute,
  getSharedOriginalRoute,
  getSharedPreviewRoute,
  getSharedResultRoute,
  listSharedImagesRoute,
} from './shared.route.ts';
import { createShareRoute, listSharesRoute, revokeShareRoute } from './shares.route.ts';
import { updateImageRoute } from './update-image.route.ts';

/** The routes of all endpoints; a test compares this list with the endpoint table. */
export const ROUTES: Route[] = [
  createSessionRoute,
  listSessionsRoute,
  addImagesRoute,
  getSessionRoute,
  deleteSessionRoute,
  updateImageRoute,
  previewImageRoute,
  analyzeImagesRoute,
  analyzeImagesFlatRoute,
  getAnalysisRoute,
  exportImagesRoute,
  exportImagesFlatRoute,
  sampleImagesRoute,
  downloadFileRoute,
  getJobRoute,
  followJobRoute,
  cancelJobRoute,
  createTokenRoute,
  getBalanceRoute,
  checkCreditsRoute,
  listTransactionsRoute,
  getLimitsRoute,
  getOpenApiRoute,
  createShareRoute,
  listSharesRoute,
  revokeShareRoute,
  listSharedImagesRoute,
  getSharedPreviewRoute,
  getSharedOriginalRoute,
  getSharedResultRoute,
  answerSharedImageRoute,
  ...ACCOUNT_ROUTES,
];
