import { defineElement } from '../define-element.ts';

/** Loads the comparison, which is a file of its own, and defines it. */
export async function loadCompare(): Promise<void> {
  const { IoCompare } = await import('../io-compare/index.ts');
  defineElement('io-compare', IoCompare);
}
