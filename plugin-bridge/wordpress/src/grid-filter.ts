import type { SiteConfig } from './site-config.ts';

/** The parts of `wp.media` that build the toolbar of the media grid: classes of Backbone. */
interface View {
  prototype: Record<string, (this: Browser) => void>;
  extend(members: object): View;
  new (options: object): { render(): unknown };
}

interface Browser {
  controller: { isModeActive?(mode: string): boolean };
  collection: { props: unknown };
  toolbar: { set(name: string, view: unknown): void };
}

/** Priority in the toolbar: after the filters of WordPress by type (-80) and by month (-75). */
const PRIORITY = -74;

/** Adds the filter by state to the media grid, as the list has it. Does nothing where there is no grid. */
export function addGridFilter({ states }: SiteConfig): void {
  const views = (window.wp?.media as unknown as { view?: Record<string, View> } | undefined)?.view;
  const [Filters, Whole, Label] = [views?.AttachmentFilters, views?.AttachmentsBrowser, views?.Label];
  if (!views || !Filters || !Whole || !Label) return;
  const Filter = Filters.extend({
    id: 'imagewright-grid-filter',
    createFilters(this: { filters: object }) {
      const entries = Object.entries(states).map(([state, text], index) => {
        // `null` takes the argument out of the query.
        const filter = { text, props: { imagewright_state: state || null }, priority: 10 * (index + 1) };
        return [state || 'all', filter];
      });
      this.filters = Object.fromEntries(entries);
    },
  });
  const { createToolbar } = Whole.prototype;
  views.AttachmentsBrowser = Whole.extend({
    createToolbar(this: Browser) {
      createToolbar?.call(this);
      if (!this.controller.isModeActive?.('grid')) return;
      const place = { controller: this.controller, model: this.collection.props, priority: PRIORITY };
      const attributes = { for: 'imagewright-grid-filter' };
      const label = new Label({ value: states[''], attributes, priority: PRIORITY });
      this.toolbar.set('imagewrightFilterLabel', label.render());
      this.toolbar.set('imagewrightFilter', new Filter(place).render());
    },
  });
}
