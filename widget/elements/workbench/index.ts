// Owns what is to be seen once there are images, and is loaded then: rows, settings, cost, results, dialogs, and what
// their buttons do. Knows of the public element what WorkbenchHost names.
import { defineElement } from '../define-element.ts';
import { IoCost } from '../io-cost/index.ts';
import { IoList } from '../io-list/index.ts';
import { IoRow } from '../io-row/index.ts';
import { IoSettings } from '../io-settings/index.ts';

export { workbenchStyles } from './workbench.styles.ts';
export { Workbench } from './workbench.ts';

/** Defines the elements that the workbench is made of. */
export function defineWorkbench(): void {
  defineElement('io-row', IoRow);
  defineElement('io-list', IoList);
  defineElement('io-settings', IoSettings);
  defineElement('io-cost', IoCost);
}
