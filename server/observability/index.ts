// Owns logger, metrics and request ids. Must not know the other modules.
import { newId } from '../ids.ts';

export { createLogger, type Logger, type LoggerOptions } from './logger.ts';
export { createMetrics, type Metrics } from './metrics.ts';

/** Generates the id of a request, which its log lines and error responses contain. */
export const newRequestId = () => newId('req');
