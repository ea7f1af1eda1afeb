import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const dist = fileURLToPath(new URL('../dist/', import.meta.url));

/** Returns the text of all scripts of a built folder. */
function scriptsOf(folder: string): string {
  return readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.js'))
    .map((file) => readFileSync(join(dist, folder, file), 'utf8'))
    .join('\n');
}

describe.each(['widget', 'demo', 'dashboard'])('dist/%s', (folder) => {
  it('contains Lit and its licence', () => {
    expect(scriptsOf(folder)).toContain('litElementVersions');
    const notices = readFileSync(join(dist, folder, 'NOTICES.md'), 'utf8');
    for (const name of ['lit', 'lit-html', 'lit-element', '@lit/reactive-element']) {
      expect(notices).toMatch(new RegExp(`^## ${name} - .*BSD-3-Clause|^- ${name} - .*BSD-3-Clause`, 'm'));
    }
    expect(notices).toContain('Copyright (c) 2017 Google LLC');
  });
});
