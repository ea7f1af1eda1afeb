// Handles the button on Settings > Imagewright that tests the connection, and opens what is folded where a field is wrong.
import { createRest } from './rest.ts';
import { readConfig } from './site-config.ts';

const config = readConfig();
const rest = createRest(config);
const button = document.querySelector<HTMLButtonElement>('#imagewright-test');
const result = document.querySelector<HTMLElement>('#imagewright-test-result');

button?.addEventListener('click', () => void test());

// A browser cannot show what is wrong with a field that is folded away.
document.addEventListener(
  'invalid',
  ({ target }) => {
    const folded = (target as Element).closest('details');
    if (folded) folded.open = true;
  },
  true,
);

async function test(): Promise<void> {
  if (!button || !result) return;
  const typed = [...document.querySelectorAll<HTMLInputElement>('#imagewright-url, #imagewright-key')];
  if (typed.some(({ value, defaultValue }) => value !== defaultValue)) {
    result.textContent = config.strings.saveFirst ?? '';
    result.className = 'imagewright-bad';
    return;
  }
  button.disabled = true;
  result.textContent = config.strings.testing ?? '';
  try {
    result.textContent = (await rest.call<{ message: string }>('POST', '/connection', { json: {} })).message;
    result.className = 'imagewright-good';
  } catch (error) {
    result.textContent = error instanceof Error ? error.message : String(error);
    result.className = 'imagewright-bad';
  }
  button.disabled = false;
}
