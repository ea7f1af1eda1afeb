import { csvLine } from '#contract/constants';
import { formatNumber, make, makeButton } from './make.ts';
import { type Rest, RestError } from './rest.ts';
import { type SiteConfig, textOf } from './site-config.ts';

const PROBLEMS = ['missing', 'file_name', 'duplicate', 'linked_empty'] as const;
type Problem = (typeof PROBLEMS)[number];

/** An image whose text is to be looked at. */
export interface Finding {
  problem: Problem;
  /** 0 if unknown. */
  attachment: number;
  /** Post that shows it; 0: the library. */
  post: number;
  /** Of the image, or of the post that shows it. */
  language: string;
  title: string;
  file: string;
  text: string;
  edit: string;
}

interface Part {
  findings: Finding[];
  cursor: string;
  /** Images or posts of this part. */
  looked: number;
}

/** Most findings of a problem that are listed; the export has all. */
const MAX_SHOWN = 200;
const COLUMNS = ['problem', 'attachment', 'post', 'language', 'title', 'file', 'text', 'edit'] as const;

/** Adds the audit of all texts of the site, with a list for each problem and an export. */
export function addTextAudit(place: HTMLElement, { rest, config }: { rest: Rest; config: SiteConfig }): void {
  const status = make('p', { className: 'imagewright-news' });
  status.setAttribute('role', 'status');
  const list = make('div');
  const button = makeButton(textOf(config, 'auditStart'), () => void audit());
  place.append(
    make('h2', {}, textOf(config, 'auditTitle')),
    make('p', {}, textOf(config, 'auditHelp')),
    make('p', {}, button),
    ...[status, list],
  );

  async function audit(): Promise<void> {
    button.disabled = true;
    list.replaceChildren();
    const findings: Finding[] = [];
    try {
      let looked = 0;
      let cursor = '';
      do {
        const part: Part = await rest.call('GET', '/texts/audit', { query: { cursor } });
        findings.push(...part.findings);
        cursor = part.cursor;
        looked += part.looked;
        status.textContent = textOf(config, 'auditRunning', { n: looked });
      } while (cursor !== '');
      status.textContent = textOf(config, 'auditDone', { n: findings.length });
      if (findings.length > 0) list.replaceChildren(...render(findings, config));
    } catch (error) {
      if (!(error instanceof RestError)) throw error;
      status.textContent = error.message;
    }
    button.disabled = false;
  }
}

function render(findings: readonly Finding[], config: SiteConfig): HTMLElement[] {
  const groups = PROBLEMS.map((problem) => findings.filter((finding) => finding.problem === problem));
  const file = new Blob([toCsv(findings)], { type: 'text/csv' });
  const download = make(
    'a',
    { className: 'button', href: URL.createObjectURL(file), download: 'alternative-texts.csv' },
    textOf(config, 'auditExport'),
  );
  return [make('p', {}, download), ...groups.flatMap((group) => (group[0] ? [renderGroup(group, config)] : []))];
}

function renderGroup(group: readonly Finding[], config: SiteConfig): HTMLElement {
  const lines = group.slice(0, MAX_SHOWN).map(({ edit, title, file, text, post }) => {
    const link = make('a', { href: edit }, title || file);
    return make('li', {}, link, post > 0 ? `: ${file}` : '', text ? ` “${text}”` : '');
  });
  if (group.length > MAX_SHOWN) lines.push(make('li', {}, '…'));
  const name = textOf(config, `audit_${group[0]?.problem}`);
  const summary = make('summary', {}, `${name}: ${formatNumber(group.length, config)}`);
  return make('details', { className: 'imagewright-findings' }, summary, make('ul', {}, ...lines));
}

/** Writes findings as CSV (RFC 4180) with a byte order mark, for spreadsheets. Texts that would be formulas get an apostrophe. */
export function toCsv(findings: readonly Finding[]): string {
  const rows = findings.map((finding) => COLUMNS.map((name) => finding[name]));
  return `\uFEFF${[COLUMNS, ...rows].map(csvLine).join('')}`;
}
