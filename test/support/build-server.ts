import { execFileSync } from 'node:child_process';

/** Builds `dist/server` once before all tests, since some of them start the real process. */
export function setup(): void {
  try {
    execFileSync(process.execPath, ['server/start.mjs', 'build'], { stdio: ['ignore', 'ignore', 'inherit'] });
  } catch (error) {
    if (process.env.CI) throw error;
    console.warn('\nThe build failed: tests that start the built service fail too, or see an older build.\n');
  }
}
