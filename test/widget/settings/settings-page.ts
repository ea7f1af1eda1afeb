// Test page of settings and cost: sets reported values as properties, as the element does.
import { IoCost } from '../../../widget/elements/io-cost/index.ts';
import {
  IoSettings,
  type OptionsEditDetail,
  type SettingsEditDetail,
} from '../../../widget/elements/io-settings/index.ts';
import { tokens } from '../../../widget/styles/index.ts';

customElements.define('io-settings', IoSettings);
customElements.define('io-cost', IoCost);

/** Wraps both in the styles of the public element. */
class Around extends HTMLElement {
  readonly settings = new IoSettings();
  readonly cost = new IoCost();

  connectedCallback(): void {
    const root = this.attachShadow({ mode: 'open' });
    if (tokens.styleSheet) root.adoptedStyleSheets = [tokens.styleSheet];
    const base = document.createElement('div');
    base.className = 'base';
    const slot = document.createElement('slot');
    this.cost.innerHTML = '<a slot="credits" href="/credits">Get credits</a>';
    base.append(this.settings, this.cost, slot);
    root.append(base);
  }
}
customElements.define('x-around', Around);

const around = new Around();
const told: unknown[] = [];
around.settings.addEventListener('io-settings-edit', (event) => {
  const { settings } = (event as CustomEvent<SettingsEditDetail>).detail;
  told.push(settings);
  around.settings.settings = settings;
});
around.settings.addEventListener('io-options-edit', (event) => {
  const { options } = (event as CustomEvent<OptionsEditDetail>).detail;
  told.push(options);
  around.settings.options = options;
});
around.cost.addEventListener('io-cost-retry', () => told.push('retry'));
document.querySelector('main')?.append(around);
Object.assign(window, { around, told });
