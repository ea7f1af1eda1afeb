import { composeService } from './compose.ts';
import { type Config, loadConfig } from './config/index.ts';
import { announceFirstAccount, explainStart, warnOfSettings } from './explain-start.ts';
import { createStartingApp, listen } from './http/index.ts';

// Inherited by workers: what this program writes is for its user alone.
process.umask(0o077);

let config: Config | undefined;

/** Runs the service: configuration, composition, listening, and a graceful stop on SIGTERM or SIGINT. */
async function main(): Promise<void> {
  config = loadConfig(process.env);
  // A database on another machine may come up later than this process, which whoever watches it has to see alive meanwhile.
  const early = config.db.MONGODB_URI ? await listen(createStartingApp(config.http), config.http) : undefined;
  // The service cannot work without its embedded database; a supervisor restarts the process.
  const service = await composeService(config, undefined, { onDatabaseLost: () => process.exit(1) });
  const { logger } = service;
  process.on('unhandledRejection', (error) => logger.error({ err: error }, 'unhandled rejection'));
  warnOfSettings(config, process.env, logger);
  await service.start();
  const server = early ?? (await listen(service.app, config.http));
  early?.serve(service.app);
  let stopping = false;
  const stop = (signal: NodeJS.Signals) => {
    if (stopping) return;
    stopping = true;
    logger.info({ signal }, 'stopping');
    service
      .stop(() => server.close())
      .then(() => process.exit(0))
      .catch((error: unknown) => {
        logger.error({ err: error }, 'the stop failed');
        process.exit(1);
      });
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);

  logger.info({ url: server.url }, 'listening');
  service.listensAt(server.url);
  if (config.jobs.ROLE === 'worker') return;
  const { accounts, signIn } = service;
  try {
    const printKey = config.accounts.PRINT_FIRST_KEY === 'on';
    await announceFirstAccount({ accounts, signIn, url: config.http.PUBLIC_URL ?? server.url, printKey });
  } catch (error) {
    // Ignored if a stop has closed the database meanwhile; the next start announces the account.
    if (!stopping) throw error;
  }
}

main().catch((error: unknown) => {
  console.error(explainStart(error, config) ?? error);
  process.exit(1);
});
