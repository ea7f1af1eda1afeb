// Uploads of twelve images through the block editor of WordPress 7.1, twenty times: `npm run drill:wordpress-editor`. Ten minutes.

process.env.IMAGEWRIGHT_EDITOR_ROUNDS ??= '20';
process.argv.splice(2, process.argv.length, 'editor-uploads');
await import('../wordpress/native/with-debian.ts');

export {};
