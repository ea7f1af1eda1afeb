// A bulk run of 5,000 images that no browser watches, through two ends of the service and two of PHP: `npm run drill:wordpress-run`.
// Three quarters of an hour, as long as a site takes.

process.env.IMAGEWRIGHT_RUN_IMAGES ??= '5000';
process.argv.splice(2, process.argv.length, 'bulk-run');
await import('../wordpress/native/with-debian.ts');

export {};
