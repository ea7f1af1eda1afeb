#!/usr/bin/env node
// Starts the command line program, built first when it is missing or older than its sources.
// `npm run` changes to the project's folder: patterns are meant from where the person is.
if (process.env.npm_lifecycle_event === 'imagewright') process.chdir(process.env.INIT_CWD ?? '.');
process.argv.splice(2, 0, 'imagewright');
await import('../../server/start.mjs');
