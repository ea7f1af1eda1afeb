// Starts the page Media > Optimize: the bulk run and the widget.
import { BulkPanel } from './bulk-panel.ts';
import { createRest } from './rest.ts';
import { createReview } from './review.ts';
import { readConfig } from './site-config.ts';
import { addWeighPanel } from './weigh-panel.ts';

/** Most images added to the widget automatically; more are left to the bulk run. */
const MAX_PRESELECTED = 30;

async function begin(): Promise<void> {
  const bulk = document.querySelector<HTMLElement>('#imagewright-bulk');
  const weigh = document.querySelector<HTMLElement>('#imagewright-weigh');
  const review = document.querySelector<HTMLElement>('#imagewright-review');
  if (!bulk || !review) return;
  const config = readConfig();
  const rest = createRest(config);
  const ids = (review.dataset.ids ?? '').split(',').filter(Boolean);
  const panel = new BulkPanel(bulk, { rest, config, chosen: ids.map(Number) });
  void panel.refresh();
  if (weigh) addWeighPanel(weigh, { rest, config });
  const { add } = await createReview(review, { rest, config, changed: () => void panel.refresh() });
  if (ids.length > 0 && ids.length <= MAX_PRESELECTED) await add(ids);
}

void begin();
