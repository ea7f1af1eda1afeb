const LOCALE = 'en';
const number = new Intl.NumberFormat(LOCALE);
const day = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', timeZone: 'UTC' });
const date = new Intl.DateTimeFormat(LOCALE, { day: 'numeric', month: 'short', year: 'numeric' });
const moment = new Intl.DateTimeFormat(LOCALE, { dateStyle: 'medium', timeStyle: 'short' });
const ago = new Intl.RelativeTimeFormat(LOCALE, { numeric: 'auto' });
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** Formats a number, e.g. `12,345`. */
export const formatNumber = (value: number): string => number.format(value);

/** Formats bytes in steps of 1000, e.g. `1.2 MB`. */
export function formatBytes(bytes: number): string {
  const step = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(1, Math.abs(bytes))) / 3));
  const value = bytes / 1000 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[step]}`;
}

/** Formats a day in UTC, e.g. `2026-11-03` as `3 Nov`. */
export const formatDay = (isoDay: string): string => day.format(new Date(`${isoDay}T00:00:00Z`));

/** Formats a date in local time, e.g. `3 Nov 2026`. */
export const formatDate = (iso: string): string => date.format(new Date(iso));

/** Formats a time in local time, e.g. `3 Nov 2026, 14:05`. */
export const formatMoment = (iso: string): string => moment.format(new Date(iso));

/** Formats the time since, e.g. `5 minutes ago`; a date after a week. */
export function formatAgo(iso: string): string {
  const minutes = Math.round((new Date(iso).getTime() - Date.now()) / 60_000);
  if (minutes > -1) return 'just now';
  if (minutes > -60) return ago.format(minutes, 'minute');
  if (minutes > -60 * 24) return ago.format(Math.round(minutes / 60), 'hour');
  if (minutes > -60 * 24 * 7) return ago.format(Math.round(minutes / (60 * 24)), 'day');
  return formatDate(iso);
}
