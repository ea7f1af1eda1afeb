import { resolve } from 'node:path';
import { runDemo } from './run-demo.ts';

// npm run demo [-- --only photo-d] [--photographs FOLDER] [--output FOLDER]
const option = (name: string): string | undefined => {
  const index = process.argv.indexOf(`--${name}`);
  return index < 0 ? undefined : process.argv[index + 1];
};

runDemo({
  photographs: resolve(option('photographs') ?? 'test/fixtures/photos'),
  only: option('only'),
  target: resolve(option('output') ?? 'demo-output'),
  output: process.stdout,
}).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(`The demonstration failed: ${(error as Error).message}`);
    process.exit(1);
  },
);
