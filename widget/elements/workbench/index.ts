// Owns the content of an element with images, loaded on demand: rows, settings, cost, results, dialogs and their actions.
// Knows of the public element only WorkbenchHost.
import { defineElement } from '../define-element.ts';
import { IoCost } from '../io-cost/index.ts';
import { IoList } from '../io-list/index.ts';
import { IoReview } from '../io-review/index.ts';
import { IoRow } from '../io-row/index.ts';
import { IoSettings } from '../io-settings/index.ts';
import { IoTakeAway } from '../io-take-away/index.ts';

export { workbenchStyles } from './workbench.styles.ts';
export { Workbench } from './workbench.ts';

/** Defines the elements of the workbench. */
export function defineWorkbench(): void {
  defineElement('io-row', IoRow);
  defineElement('io-list', IoList);
  defineElement('io-review', IoReview);
  defineElement('io-settings', IoSettings);
  defineElement('io-cost', IoCost);
  defineElement('io-take-away', IoTakeAway);
}
