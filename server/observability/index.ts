// Owns logger, metrics and request ids. Must not know the other modules.
export { createLastHour } from './last-hour.ts';
export { createLogger, type Logger, type LoggerOptions, newRequestId } from './logger.ts';
export { createMetrics, type Metrics } from './metrics.ts';
