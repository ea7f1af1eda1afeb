import { z } from 'zod';
import { integerText } from '#contract';

/** The environment variables that steer the gateway; keys are the variables' names. */
export const gatewayConfig = z.object({
  ANALYSIS_CREDITS: integerText(0, 1000).default(0).describe('Credits that the analysis of one image costs.'),
});

/** The gateway settings after parsing. */
export type GatewayConfig = z.output<typeof gatewayConfig>;
