import { ApiError, type Client, createClient } from '../../plugin-bridge/sdk/index.ts';

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
    problem.textContent = '';
    connect({ 'X-API-Key': input.value.trim() }).then(
      () => form.reset(),
      (error: unknown) => {
        problem.textContent = explain(error);
        input.focus();
      },
    );
  });

  /** Asks for a key. */
  function ask(fault: string): void {
    section.hidden = false;
    account.textContent = 'Not connected';
    problem.textContent = fault;
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
  throw new Error(response.status === 403 ? 'This account is suspended.' : 'The service cannot be reached.');
}

async function showBalance(client: Client, account: HTMLElement): Promise<void> {
  const { balance, plan } = await client.getBalance();
  const credits = document.createElement('strong');
  credits.textContent = `${balance.toLocaleString('en')} ${balance === 1 ? 'credit' : 'credits'}`;
  account.replaceChildren(credits, ` · plan ${plan}`);
}

function explain(error: unknown): string {
  if (error instanceof ApiError && error.status === 401) return 'The service does not know this key.';
  if (error instanceof ApiError && error.status === 403) return 'This key is not active.';
  return error instanceof Error ? error.message : 'The service cannot be reached.';
}
