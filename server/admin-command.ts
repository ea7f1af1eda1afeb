/**
 * Returns the line with which an operator starts the program of administration. `npm run pack` replaces this module: packages have no
 * scripts of npm.
 * @param words command and options, e.g. `files accept`
 */
export function adminCommand(words: string): string {
  return `npm run --silent admin -- ${words}`;
}
