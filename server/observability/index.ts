// Owns logger, metrics and request ids. Knows no business: it counts and writes down what others tell it.
import { newId } from '../ids.ts';

export { createLogger, type Logger, type LoggerOptions } from './logger.ts';
export { createMetrics, type Metrics } from './metrics.ts';

/** Makes the id that a request is logged under and that its error answers name. */
export const newRequestId = () => newId('req');
