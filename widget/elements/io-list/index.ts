// Owns the rows: which are there, in what order they come into the page, and where the focus goes among them.
export { IoList, ROW_PARTS } from './io-list.ts';
