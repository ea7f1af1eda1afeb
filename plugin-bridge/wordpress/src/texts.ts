// Starts the page Media > Image texts: unconfirmed texts, and the audit of all texts.
import { make } from './make.ts';
import { createRest } from './rest.ts';
import { readConfig } from './site-config.ts';
import { addTextAudit } from './text-audit.ts';
import { TextQueue } from './text-queue.ts';

const place = document.querySelector<HTMLElement>('#imagewright-texts');
if (place) {
  const config = readConfig();
  const tools = { rest: createRest(config), config };
  const [queue, audit] = [make('div', { className: 'imagewright-box' }), make('div', { className: 'imagewright-box' })];
  place.append(queue, audit);
  void new TextQueue(queue, tools).begin();
  addTextAudit(audit, tools);
}
