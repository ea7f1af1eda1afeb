import { PLAN_LIMITS, type PlanLimitName } from '#contract/constants';
import { DIGITS } from '../i18n/index.ts';
import { language } from './language.ts';

/** Formats a number, e.g. `12,345`. */
export const formatNumber = (value: number): string => language().formatNumber(value);

/** Formats bytes in steps of 1000, e.g. `1.2 MB`. */
export const formatBytes = (bytes: number): string => language().formatBytes(bytes);

/** Formats a limit of a plan or its use; null for no limit. */
export function formatLimit<Value extends number | null>(
  name: PlanLimitName,
  value: Value,
): string | Extract<Value, null> {
  if (value === null) return null as Extract<Value, null>;
  return PLAN_LIMITS[name].unit === 'megabytes' ? formatBytes(value * 1e6) : formatNumber(value);
}

/** Formats a share of 0-1, e.g. `45%`. */
export const formatPercent = (share: number): string => language().formatPercent(share);

/** Formats a day in UTC, e.g. `2026-11-03` as `Nov 3`. */
export const formatDay = (isoDay: string): string =>
  format(`${isoDay}T00:00:00Z`, { day: 'numeric', month: 'short', timeZone: 'UTC' });

/** Formats a date in local time, e.g. `Nov 3, 2026`. */
export const formatDate = (iso: string): string => format(iso, { day: 'numeric', month: 'short', year: 'numeric' });

/** Formats a time in local time, e.g. `Nov 3, 2026, 2:05 PM`. */
export const formatMoment = (iso: string): string => format(iso, { dateStyle: 'medium', timeStyle: 'short' });

/** Formats a time of the day in local time, e.g. `2:05:07 PM`. */
export const formatTime = (iso: string): string => format(iso, { timeStyle: 'medium' });

/** Formats a minute of the day in local time, e.g. `2:05 PM`. */
export const formatClock = (iso: string): string => format(iso, { timeStyle: 'short' });

/** Formats the time since, e.g. `5 minutes ago`; a date after a week. */
export function formatAgo(iso: string): string {
  const { locale } = language();
  const ago = makeOnce(`${locale} ago`, () => new Intl.RelativeTimeFormat(locale, { ...DIGITS, numeric: 'auto' }));
  const minutes = Math.round((new Date(iso).getTime() - Date.now()) / 60_000);
  if (minutes > -1) return ago.format(0, 'second');
  if (minutes > -60) return ago.format(minutes, 'minute');
  if (minutes > -60 * 24) return ago.format(Math.round(minutes / 60), 'hour');
  if (minutes > -60 * 24 * 7) return ago.format(Math.round(minutes / (60 * 24)), 'day');
  return formatDate(iso);
}

/** Formats a time. A line never breaks between the hour and "PM". */
function format(time: string, options: Intl.DateTimeFormatOptions): string {
  const { locale } = language();
  const dates = makeOnce(
    `${locale} ${JSON.stringify(options)}`,
    () => new Intl.DateTimeFormat(locale, { ...DIGITS, ...options }),
  );
  return dates.format(new Date(time)).replace(/(\d)\s(\S{1,2})$/, '$1\u00a0$2');
}

/** Formatters by language and options. A chart writes a date for each of its days, and making a formatter for each is slow. */
const made = new Map<string, unknown>();

function makeOnce<Formatter>(key: string, make: () => Formatter): Formatter {
  const kept = (made.get(key) as Formatter | undefined) ?? make();
  made.set(key, kept);
  return kept;
}
