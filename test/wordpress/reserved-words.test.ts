import { readdir, readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';

const FOLDER = 'plugin-bridge/wordpress/includes';

/** Words that MySQL 8 reserves and earlier versions and MariaDB do not: as bare names of columns they fail only there. Source: MySQL 8.4, "Keywords and Reserved Words". */
const RESERVED = new Set(
  `cume_dist dense_rank empty except first_value function grouping groups intersect json_table lag last_value lateral lead nth_value
  ntile of over percent_rank rank recursive row_number rows system window`.split(/\s+/),
);

it('columns of the table have names that every database accepts', async () => {
  const names = (await readdir(FOLDER, { recursive: true })).filter((name) => name.endsWith('.php'));
  const texts = await Promise.all(names.map((name) => readFile(`${FOLDER}/${name}`, 'utf8')));
  const tables = texts.flatMap((text) => text.match(/CREATE TABLE[^;]+/g) ?? []);
  const columns = tables.flatMap((table) =>
    [...table.matchAll(/^(\w+) (?:bigint|int|varchar|text)/gm)].map(([, name = '']) => name),
  );
  expect(columns.length).toBeGreaterThan(10);
  expect(columns.filter((name) => RESERVED.has(name))).toEqual([]);
});
