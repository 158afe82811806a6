import { type Json, numberOf, objectOf } from './format.ts';

/** Where both models have the limits of a reading, and our attribute names. */
const places: readonly (readonly [attribute: string, recent: string, old: string])[] = [
  ['lower_warning', 'LowerCaution', 'LowerThresholdNonCritical'],
  ['lower_critical', 'LowerCritical', 'LowerThresholdCritical'],
  ['lower_fatal', 'LowerFatal', 'LowerThresholdFatal'],
  ['upper_warning', 'UpperCaution', 'UpperThresholdNonCritical'],
  ['upper_critical', 'UpperCritical', 'UpperThresholdCritical'],
  ['upper_fatal', 'UpperFatal', 'UpperThresholdFatal'],
];

/** The limits of a sensor for the attributes of its series; all zero means that none are set. */
export function thresholdsOf(doc: Json): Record<string, number> {
  const recent = objectOf(doc['Thresholds']);
  const found: Record<string, number> = {};
  for (const [attribute, name, old] of places) {
    const value = numberOf(objectOf(recent[name])['Reading']) ?? numberOf(doc[old]);
    if (value !== undefined && Number.isFinite(value)) found[attribute] = value;
  }
  return Object.values(found).every((value) => value === 0) ? {} : found;
}

/** An absent or disabled device measures nothing, even if it reports a number. */
export function isMeasuring(doc: Json): boolean {
  return !/^(Absent|Disabled|UnavailableOffline)$/.test(String(objectOf(doc['Status'])['State'] ?? ''));
}
