import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { type SharedService, sharedService } from '../support/shared-service.ts';

const page = readFileSync('docs/operating.md', 'utf8');
const dashboard = JSON.parse(readFileSync('examples/grafana/imagewright.json', 'utf8')) as {
  panels: { id: number; title: string; description: string; targets: { expr: string }[] }[];
};
const alerts = parse(readFileSync('examples/grafana/alerts.yml', 'utf8')) as {
  groups: { rules: { alert: string; expr: string; annotations: { summary: string } }[] }[];
};

/** Names of metrics in a query; `up` is Prometheus' own. */
function metricsIn(expr: string): string[] {
  return expr.match(/\b(imagewright|process|nodejs)_\w+/g) ?? [];
}

let test: SharedService;
let exported: Set<string>;
beforeAll(async () => {
  test = await sharedService();
  const text = await (await fetch(`${test.url}/metrics`)).text();
  exported = new Set([...text.matchAll(/^# HELP (\S+)/gm)].map(([, name]) => `${name}`));
});

/** Metrics that a server exports, without the endings of histograms. */
const base = (name: string) => name.replace(/_(bucket|sum|count)$/, '');

describe('docs/operating.md', () => {
  it('names every metric that the service exports, and no other', () => {
    const documented = new Set(
      [...page.matchAll(/`((?:imagewright|process|nodejs)_\w+)`/g)].map(([, name]) => `${name}`),
    );
    expect([...documented].filter((name) => !exported.has(name))).toEqual([]);
    expect([...exported].filter((name) => !documented.has(name))).toEqual([]);
    expect(exported.size).toBeGreaterThan(40);
  });

  it('describes every alert', () => {
    const rules = alerts.groups.flatMap(({ rules }) => rules);
    const rows =
      page
        .split('## Alerts worth having')[1]
        ?.split('\n## ')[0]
        ?.match(/^\| (?!alert|-)/gm) ?? [];
    expect(rows).toHaveLength(rules.length);
  });
});

describe('the dashboard and the alerts for Grafana and Prometheus', () => {
  it('use only metrics that the service exports', () => {
    const queries = [
      ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
      ...alerts.groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ];
    expect(queries.length).toBeGreaterThan(25);
    const used = queries.flatMap(metricsIn).map(base);
    expect(used.filter((name) => !exported.has(name) && !exported.has(`${name}`))).toEqual([]);
    for (const expr of queries.filter((query) => !query.includes('up{'))) expect(metricsIn(expr), expr).not.toEqual([]);
  });

  it('show every metric of the service itself', () => {
    const shown = new Set(
      dashboard.panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => metricsIn(expr).map(base))),
    );
    expect([...exported].filter((name) => name.startsWith('imagewright_') && !shown.has(name))).toEqual([]);
  });

  it('say of each panel and each alert what it is', () => {
    for (const { title, description } of dashboard.panels)
      expect([title, description]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/\.$/)]);
    for (const { alert, annotations } of alerts.groups.flatMap(({ rules }) => rules))
      expect([alert, annotations.summary]).toEqual([
        expect.stringMatching(/^Imagewright/),
        expect.stringMatching(/\S/),
      ]);
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
  });

  it('the values of disk, mail and descriptions are there at the first scrape', async () => {
    const text = await (await fetch(`${test.url}/metrics`)).text();
    expect(Number(/^imagewright_disk_free_bytes (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
    expect(Number(/^imagewright_disk_size_bytes (\S+)$/m.exec(text)?.[1])).toBeGreaterThan(0);
    expect(text).toMatch(/^imagewright_mails_waiting 0$/m);
    expect(text).toMatch(/^imagewright_descriptions_up 1$/m);
  });
});
