// Owns what leaves the page with the user: texts as CSV and JSON, HTML, and a ZIP of all files.
export { IoTakeAway } from './io-take-away.ts';
export { htmlOf } from './write-html.ts';
