import type { ImageOptimizer, Settings } from '../index.ts';

/** Settings of an export that the element has attributes for. */
const ATTRIBUTES = ['format', 'preset', 'responsive'] as const;

/**
 * Shows the settings of an element as a page and as a request write them: attributes, the property for the others, and the JSON of the
 * service. `view` has a `code` element for each. Returns a function that shows another element.
 */
export function showSettings(view: HTMLElement, first: ImageOptimizer): (element: ImageOptimizer) => void {
  let shown = first;
  const [markup, request] = view.querySelectorAll('code');
  const update = () => {
    const settings = sent(shown.settings);
    if (markup) markup.textContent = markupOf(settings);
    if (request) request.textContent = JSON.stringify({ settings }, null, 2);
  };
  document.addEventListener('io-settings-change', (event) => {
    if (event.target === shown) update();
  });
  update();
  return (element) => {
    shown = element;
    update();
  };
}

/** Returns the settings as requests carry them. */
function sent({ responsiveSizes, ...settings }: Settings): Settings {
  const all = { ...settings, ...(settings.responsive ? { responsiveSizes } : {}) };
  // Drops what is undefined.
  return JSON.parse(JSON.stringify(all));
}

function markupOf(settings: Settings): string {
  const attributes = ATTRIBUTES.flatMap((name) => {
    const value = settings[name];
    return value === false ? [] : [value === true ? name : `${name}="${value}"`];
  });
  const others = Object.entries(settings).filter(([name]) => !(ATTRIBUTES as readonly string[]).includes(name));
  const script = `\n<script type="module">\n  document.querySelector('image-optimizer').settings = ${indent(Object.fromEntries(others))};\n</script>`;
  return `<image-optimizer ${attributes.join(' ')}></image-optimizer>${others.length > 0 ? script : ''}`;
}

const indent = (value: unknown) => JSON.stringify(value, null, 2).replaceAll('\n', '\n  ');
