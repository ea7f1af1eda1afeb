import { css } from 'lit';

/** Styles of tables: rows on wide windows, cards on phones. */
export const tableStyles = css`
  .scroll {
    overflow-x: auto;
    margin-inline: calc(-1 * clamp(16px, 2.6vw, 24px));
    padding-inline: clamp(16px, 2.6vw, 24px);
  }
  table {
    inline-size: 100%;
    border-collapse: collapse;
    font-variant-numeric: tabular-nums;
  }
  th,
  td {
    padding-block: 8px;
    padding-inline: 0 16px;
    border-block-end: 1px solid var(--_border);
    text-align: start;
    vertical-align: baseline;
  }
  th {
    color: var(--_muted);
    font-size: var(--_t12);
    font-weight: 500;
    vertical-align: bottom;
  }
  tbody th {
    font-size: 1em;
    vertical-align: baseline;
  }
  tbody tr:last-child > * {
    border-block-end: 0;
  }
  .end {
    padding-inline-end: 0;
    text-align: end;
  }
  td.end {
    white-space: nowrap;
  }
  td.end + td.end,
  th.end + th.end {
    padding-inline-start: 16px;
  }
  .nowrap {
    white-space: nowrap;
  }
  /* Rows as cards, with the names of the columns beside the values. */
  @media (max-width: 640px) {
    thead {
      position: absolute;
      clip-path: inset(50%);
    }
    tbody,
    tr {
      display: grid;
    }
    tr {
      gap: 4px;
      padding-block: 12px;
      border-block-end: 1px solid var(--_border);
    }
    tbody tr:last-child {
      border-block-end: 0;
    }
    tr > * {
      display: flex;
      justify-content: space-between;
      gap: 16px;
      min-inline-size: 0;
      padding: 0;
      border: 0;
      overflow-wrap: anywhere;
    }
    td:first-child,
    tbody th {
      display: block;
      color: var(--_text);
      font-weight: 600;
    }
    td[data-label]::before {
      content: attr(data-label);
      flex: none;
      color: var(--_muted);
    }
    tr > td[data-label] {
      padding: 0;
      text-align: end;
      white-space: normal;
    }
    .ref {
      font-weight: 400;
    }
  }
`;
