import { ApiError, type Client, createClient } from '../../plugin-bridge/sdk/index.ts';
import { say } from './page-language.ts';

type Headers = Record<string, string>;

/**
 * Connects the page to the service: as a signed-in user, else with a pasted key, which is kept only in memory. Calls
 * `onConnected` with the headers of requests.
 */
export function startConnection(
  { section, account }: { section: HTMLElement; account: HTMLElement },
  onConnected: (headers: Headers) => void,
): void {
  const form = section.querySelector('form') as HTMLFormElement;
  const input = form.elements.namedItem('key') as HTMLInputElement;
  const problem = section.querySelector('.error') as HTMLElement;

  async function connect(headers: Headers): Promise<void> {
    const client = createClient({ endpoint: '', headers });
    await showBalance(client, account);
    section.hidden = true;
    onConnected(headers);
    for (const name of ['io-export', 'io-error'] as const) {
      document.addEventListener(name, () => void showBalance(client, account).catch(() => {}));
    }
  }

  form.addEventListener('submit', (event) => {
    event.preventDefault();
    say(problem, '');
    connect({ 'X-API-Key': input.value.trim() }).then(
      () => form.reset(),
      (error: unknown) => {
        say(problem, explain(error));
        input.focus();
      },
    );
  });

  /** Asks for a key. */
  function ask(fault: string): void {
    section.hidden = false;
    say(account, 'not-connected');
    say(problem, fault);
  }

  /** Asks who is logged in, which is no error for a visitor, and shows the page when it knows what it looks like. */
  async function start(): Promise<void> {
    try {
      const { profile } = await readVisit();
      if (profile) await connect({});
      else ask('');
    } catch (error) {
      ask(explain(error));
    }
    document.querySelector('main')?.classList.remove('waiting');
  }
  void start();
}

async function readVisit(): Promise<{ profile: unknown }> {
  const response = await fetch('/account/visit');
  if (response.ok) return response.json();
  throw new Error(response.status === 403 ? 'suspended' : 'unreachable');
}

async function showBalance(client: Client, account: HTMLElement): Promise<void> {
  const { balance, plan } = await client.getBalance();
  const [credits, name] = [document.createElement('strong'), document.createElement('span')];
  say(credits, 'credits', { count: balance });
  say(name, 'plan', { plan });
  delete account.dataset.text;
  account.replaceChildren(credits, ' · ', name);
}

/** Returns the key of the text for a failure, or the message of the service, which is shown as it is. */
function explain(error: unknown): string {
  if (error instanceof ApiError && error.status === 401) return 'unknown-key';
  if (error instanceof ApiError && error.status === 403) return 'inactive-key';
  return error instanceof Error ? error.message : 'unreachable';
}
