#!/usr/bin/env bash
# Runs the command line program with the inputs of the action, and writes its report and a summary.
# IMAGEWRIGHT_COMMAND replaces `npx imagewright`, for a program that is already there.
set -uo pipefail

arguments=(optimize --json)
while IFS= read -r line; do [ -n "$line" ] && arguments+=("$line"); done <<<"${OPTIONS:-}"
[ -n "${OUT:-}" ] && arguments+=(--out "$OUT")
[ "${CHECK:-false}" = true ] && arguments+=(--check)
# Names of files may be of strangers: after this, none is an option.
arguments+=(--)
while IFS= read -r line; do [ -n "$line" ] && arguments+=("$line"); done <<<"${PATTERNS:-}"

read -r -a command <<<"${IMAGEWRIGHT_COMMAND:-npx --yes imagewright@${VERSION:-latest}}"
report="${RUNNER_TEMP:-/tmp}/imagewright-report.json"
# Nor is a line of its messages a command of the log, in any version of the program.
token="imagewright-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
echo "::stop-commands::$token"
"${command[@]}" "${arguments[@]}" >"$report"
status=$?
echo "::$token::"

node - "$report" <<'SCRIPT'
const { appendFileSync, readFileSync } = require('node:fs');
const [file] = process.argv.slice(2);
const append = (name, text) => process.env[name] && appendFileSync(process.env[name], text);
let report;
try {
  report = JSON.parse(readFileSync(file, 'utf8'));
} catch {
  process.exit(0);
}
const { images = [], summary, error } = report;
append('GITHUB_OUTPUT', `report=${file}\nsaved-bytes=${summary?.savedBytes ?? 0}\n`);
const kb = (bytes) => (bytes === null ? '' : `${(bytes / 1000).toFixed(1)} kB`);
// Of a stranger's name nothing is markup: no link, picture, tag or cell.
const cell = (text) =>
  String(text)
    .replace(/[\p{Cc}\u2028\u2029|\\`<]/gu, ' ')
    .replace(/[^\p{L}\p{N} .,/_-]/gu, (one) => `&#${one.codePointAt(0)};`);
const score = ({ outputs }) => Math.min(...outputs.flatMap(({ quality }) => quality?.score ?? []));
const rows = images
  .filter(({ status }) => status !== 'unchanged')
  .slice(0, 100)
  .map((image) => {
    const least = score(image);
    const worst = Number.isFinite(least) ? least.toFixed(1) : '';
    const state = cell(image.error?.message ?? image.status);
    return `| ${cell(image.source)} | ${kb(image.originalBytes)} | ${kb(image.outputBytes)} | ${worst} | ${state} |`;
  });
const head = ['| image | before | after | score | |', '|---|--:|--:|--:|---|'];
const lines = ['### Imagewright', '', ...(error ? [cell(error.message), ''] : []), ...(rows.length > 0 ? [...head, ...rows, ''] : [])];
if (summary) lines.push(`${summary.images} images: ${summary.made} made, ${summary.unchanged} unchanged, ${summary.failed} failed.`);
append('GITHUB_STEP_SUMMARY', `${lines.join('\n')}\n`);
SCRIPT
exit "$status"
