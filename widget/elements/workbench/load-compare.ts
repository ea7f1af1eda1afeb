import { defineElement } from '../define-element.ts';

/** Loads and defines the comparison, which is a separate chunk. */
export async function loadCompare(): Promise<void> {
  const { IoCompare } = await import('../io-compare/index.ts');
  defineElement('io-compare', IoCompare);
}
