import { defineRoute } from '../define-route.ts';

/** `GET /v1/sessions/:sessionId/analysis`: returns the analysis of a session's images. */
export const getAnalysisRoute = defineRoute('getAnalysis', ({ account, params }, services) =>
  services.analyzeImages.report(account.id, params.sessionId),
);
