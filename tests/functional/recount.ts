// Independent calculation of days and decimals for the report tests, in another language than the service's.
import type { Random } from './random.ts';

const day = 24 * 3600 * 1000;

export const zone = 'Europe/Vienna';
/** The local time in a time zone, which also gives the day. */
const clock = new Intl.DateTimeFormat('sv-SE', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' });
export const dayOf = (at: number) => clock.format(at).slice(0, 10);
export const plusDays = (date: string, days: number) =>
  new Date(Date.parse(date) + days * day).toISOString().slice(0, 10);
export function periodOf(date: string, granularity: string) {
  if (granularity === 'month') return date.slice(0, 8) + '01';
  if (granularity === 'week') return plusDays(date, -((new Date(date).getUTCDay() + 6) % 7));
  return date;
}
/** The days of the last two daylight-saving changes. */
const changes: string[] = [];
const offset = (at: number) => Date.parse(`${clock.format(at).replace(' ', 'T')}Z`) - Math.floor(at / 1000) * 1000;
for (let at = Date.now() - 12 * day; changes.length < 2; at -= day)
  if (offset(at) !== offset(at + day)) changes.push(dayOf(at + day));

/** Decimals are calculated as integers in units of 10⁻¹². */
export const unit = 10n ** 12n;
export function exact(text: string | number | undefined) {
  const [whole, fraction = ''] = String(text ?? 0).split('.');
  return BigInt(whole!) * unit + BigInt(fraction.padEnd(12, '0'));
}
/** Formats a decimal like the API: six digits, rounded half to even. Divides by `by` first. */
export function shownDecimal(value: bigint, digits: number, by = 1): string {
  if (value < 0n) return `-${shownDecimal(-value, digits, by)}`;
  const step = 10n ** 6n * BigInt(by);
  let [quotient, rest] = [value / step, (value % step) * 2n];
  if (rest > step || (rest === step && quotient % 2n === 1n)) quotient += 1n;
  const [whole, fraction] = [quotient / 10n ** 6n, String(quotient % 10n ** 6n).padStart(6, '0')];
  const kept = fraction.replace(/0+$/, '').padEnd(digits, '0');
  return kept ? `${whole}.${kept}` : `${whole}`;
}
export const digits: Record<string, number> = { EUR: 2, USD: 2, JPY: 0 };

/** Some days around a daylight-saving change, with many times near midnight. */
export function someDays({ below, between, one, chance }: Random) {
  const middle = one(changes);
  const from = plusDays(middle, -between(4, 9));
  const to = plusDays(middle, between(4, 9));
  const days = (Date.parse(to) - Date.parse(from)) / day;
  /** A random time within these days, or slightly outside. */
  const moment = () => {
    const midnight = Date.parse(plusDays(from, between(-2, days + 1)));
    return midnight + (chance(50) ? between(-3 * 3600, 3600) : below(24 * 3600)) * 1000;
  };
  const inside = (at: number) => dayOf(at) >= from && dayOf(at) < to;
  const periods = (granularity: string) => {
    const all = new Set<string>();
    for (let date = from; date < to; date = plusDays(date, 1)) all.add(periodOf(date, granularity));
    return [...all];
  };
  return { from, to, moment, inside, periods };
}
