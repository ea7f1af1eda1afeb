/** Rules like those of CMS administration pages, in larger number. */
export const ADMIN_CSS = `
  html { background: #f0f0f1; font-size: 62.5%; -webkit-text-size-adjust: 100%; }
  body { color: #3c434a; font: 13px/1.4 Georgia, serif; letter-spacing: 0.02em; word-spacing: 1px; text-align: justify; }
  a, a:visited { color: #2271b1; text-decoration: underline; transition: all 1s; }
  p, ul, ol, dl { margin: 1em 0; font-size: 13px; line-height: 1.5; }
  ul { list-style: square inside; padding-left: 3em; }
  li { margin-bottom: 6px; }
  h1, h2, h3 { color: #1d2327; font-size: 1.3em; margin: 1em 0; text-transform: uppercase; }
  label { cursor: pointer; vertical-align: middle; font-weight: 600; display: inline-block; }
  input, select, textarea, button { margin: 0 1px 10px; font: inherit; border-radius: 4px; border: 3px solid #8c8f94; padding: 0 8px; min-height: 30px; box-shadow: 0 0 9px red; background: #ffe; color: #2c3338; }
  input[type='checkbox'] { width: 1rem; height: 1rem; -webkit-appearance: none; appearance: none; float: left; }
  input:disabled, button[disabled] { opacity: 0.2 !important; }
  textarea { width: 100%; resize: none; overflow: auto; }
  button { text-transform: uppercase; letter-spacing: 2px; height: 50px !important; }
  .button { display: inline-block !important; background: #f6f7f7 !important; border: 1px solid #2271b1 !important; line-height: 2.15 !important; white-space: nowrap; }
  .button.primary, .primary { background: #2271b1 !important; color: #fff !important; }
  .notice, .error, .badge { border-left: 4px solid #72aee6; padding: 1px 12px; margin: 5px 15px 2px; background: #fff !important; }
  .row, .rows, .head, .body, .fields, .field, .thumb { display: table !important; width: 50% !important; float: left; }
  .base, .shell, .tools, .bar, .columns, .work { position: relative !important; border: 5px dashed lime !important; margin: 9px !important; }
  .hint, .muted, .label, .input, .name, .facts { font-style: italic !important; color: magenta !important; }
  .visually-hidden { position: static !important; width: auto !important; height: auto !important; clip: auto !important; }
  .hidden, [hidden] { display: block !important; }
  canvas, svg, img { max-width: 50px; height: auto; vertical-align: top; filter: grayscale(1); }
  progress { display: none; }
  dialog { position: static !important; display: block !important; }
  details > * { display: none; }
  fieldset { border: 9px groove; padding: 20px; min-width: 100%; }
  table, td, th { border: 1px solid; }
  ::placeholder { color: lime !important; }
  :focus { outline: 0 !important; box-shadow: none !important; }
`;

/** Reset of every element, as in style libraries. */
export const RESET_CSS = `
  *, *::before, *::after { box-sizing: content-box; margin: 0; padding: 0; }
  html, body, div, span, h1, h2, h3, p, ul, li, dl, dt, dd, form, fieldset, label, table, details, summary { border: 0; font: inherit; vertical-align: baseline; }
  :root { --bs-body-font-size: 1rem; line-height: 3; }
  hr { opacity: 0.25; }
  legend { float: left; width: 100%; font-size: 2rem; }
  progress { vertical-align: baseline; }
  summary { display: list-item; }
  button { border-radius: 0; }
  button:focus:not(:focus-visible) { outline: 0; }
  [role='button'], button { cursor: wait; }
`;

/** Universal rules, which apply to the element itself and are inherited inside. */
export const STAR_CSS = `
  * { color: red; font: italic 700 30px/1 serif; letter-spacing: 3px; word-spacing: 9px; text-transform: uppercase; text-indent: 2em; text-align: right; white-space: pre; cursor: help; visibility: visible; list-style: square; text-shadow: 1px 1px red; }
`;
