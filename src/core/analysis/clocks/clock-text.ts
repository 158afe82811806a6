import type { SupposedZone } from './clock-estimate.ts';
import { clocks } from './parameters.ts';
import type { LinkVerdict } from './shift-test.ts';
import { QUARTER_S } from './shift-votes.ts';

/** A correction that is close to whole quarters of an hour, typical of a wrong time zone; null otherwise. */
export function zoneOf(correction_s: number): { readonly quarters: number; readonly residual_s: number } | null {
  const quarters = Math.round(correction_s / QUARTER_S);
  const residual_s = correction_s - quarters * QUARTER_S;
  return Math.abs(correction_s) > clocks.nearSeconds &&
    quarters !== 0 &&
    Math.abs(residual_s) <= clocks.zoneToleranceSeconds
    ? { quarters, residual_s }
    : null;
}

/** UTC offsets in use that are not whole hours, in minutes (IANA time zone database, 2025). */
const UNEVEN = new Set([-570, -210, -150, 210, 270, 330, 345, 390, 525, 570, 630, 765, 825]);
const SPELLED_MINUTES = 60;

/** `2 s`, `0.35 s`, `1 h 30 min`. */
export function spell(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < SPELLED_MINUTES) return `${size >= 10 ? size.toFixed(1) : size.toFixed(2)} s`;
  const whole = Math.round(size);
  const parts = [
    [Math.floor(whole / 3600), 'h'],
    [Math.floor((whole % 3600) / 60), 'min'],
    [whole % 60, 's'],
  ] as const;
  return parts
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

const direction = (correction_s: number): string => (correction_s < 0 ? 'ahead of' : 'behind');

/** `UTC+1` for records in that zone, which need -4 quarters of an hour; null if no zone has this offset. */
export function zoneName(quarters: number): string | null {
  const minutes = -quarters * 15;
  const rest = Math.abs(minutes) % 60;
  if ((rest !== 0 || minutes < -720 || minutes > 840) && !UNEVEN.has(minutes)) return null;
  const hours = Math.floor(Math.abs(minutes) / 60);
  return `UTC${minutes < 0 ? '-' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`;
}

/** `1 h ahead of bmc-sel: looks like a time zone (UTC+1), not a drifting clock`. */
export function zoneText(correction_s: number, reference: string): string {
  const zone = zoneOf(correction_s);
  if (!zone) return '';
  const name = zoneName(zone.quarters);
  const description = name
    ? `looks like a time zone (${name}), not a drifting clock`
    : 'whole quarters of an hour: looks like two time zones, not a drifting clock';
  const residualText = Math.abs(zone.residual_s) >= 0.2 ? `; ${spell(zone.residual_s)} remain` : '';
  return `recorded ${spell(zone.quarters * QUARTER_S)} ${direction(correction_s)} ${reference}: ${description}${residualText}`;
}

export function clockShiftText(
  correction_s: number,
  uncertainty_s: number,
  { reference, pairs }: { readonly reference: string; readonly pairs: number },
): string {
  return `recorded ${spell(correction_s)} ${direction(correction_s)} ${reference} ± ${spell(uncertainty_s)} (${pairs} linked pairs)`;
}

/** `8 h behind bmc-sel, as in another time zone (UTC-8)`. */
export function supposedText({
  correction_s,
  otherSource: residualText,
}: { readonly correction_s: number } & Pick<SupposedZone, 'otherSource'>): string {
  const zone = zoneName(Math.round(correction_s / QUARTER_S));
  return `${spell(correction_s)} ${direction(correction_s)} ${residualText ?? 'the others'}, as in another time zone (${zone})`;
}

export function perhapsZoneText(zone: SupposedZone): string {
  const events = zone.refs.length === 1 ? '1 event' : `${zone.refs.length} events`;
  const fit = zone.otherSource === null ? 'would coincide with an onset' : 'would be linked then';
  return `no time in common with other data sources; possibly recorded ${supposedText({ correction_s: Number(zone.correction_ns) / 1e9, otherSource: zone.otherSource })}: ${events} ${fit}, too few to confirm; used in ranking with a penalty`;
}

export const agreeText = (uncertainty_s: number, reference: string, pairs: number): string =>
  `agrees with ${reference} within ${spell(uncertainty_s)} (${pairs} linked pairs)`;

/** Reason for no estimate, from the link with most pairs. */
export function doubtText(verdicts: readonly LinkVerdict[]): string {
  const best = verdicts
    .filter(({ hint }) => hint)
    .sort((a, b) => (b.hint?.pairs.length ?? 0) - (a.hint?.pairs.length ?? 0))[0];
  if (!best?.hint) return 'not estimated: no linked event pairs with another source';
  const count = best.hint.pairs.length;
  switch (best.doubt) {
    case 'too_few':
      return `not estimated: only ${count === 1 ? 'one linked pair' : `${count} linked pairs`}`;
    case 'ambiguous':
      return 'not estimated: two different shifts fit the linked pairs equally well';
    default:
      return `not estimated: its ${count} linked pairs may align by chance`;
  }
}
