/**
 * Redfish resources as JSON (DMTF DSP2046, schemas 2018 to 2025). Every member is checked before
 * use: controllers write numbers as texts, omit members, and put zero for absent parts.
 */
export type Json = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const objectOf = (value: unknown): Json => (isObject(value) ? value : {});

/** The objects of a list; other values are left out. */
export const objectsOf = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

/** Trimmed text; '' for any other value. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value.trim() : '');

/** A number, also one written as text; NaN for the text "nan"; undefined for any other value. */
export function numberOf(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? value : undefined;
  if (typeof value !== 'string') return undefined;
  const text = value.trim();
  if (/^nan$/i.test(text)) return Number.NaN;
  return /^[+-]?(\d{1,300}\.?\d*|\.\d+)(e[+-]?\d{1,3})?$/i.test(text) ? Number(text) : undefined;
}

const DURATION = /^(-?)P(?:(\d{1,9})D)?(?:T(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,15}(?:\.\d+)?)S)?)?$/;

/** Seconds of an ISO 8601 duration such as `P1DT2H3M4.5S`; undefined when it is none. */
export function durationOf(value: unknown): number | undefined {
  const match = typeof value === 'string' && /\d/.test(value) ? DURATION.exec(value.trim()) : null;
  if (!match) return undefined;
  const [, sign, days = 0, hours = 0, minutes = 0, seconds = 0] = match;
  const total = Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds);
  return sign === '-' ? -total : total;
}

/**
 * A resource's address in one spelling: without host and trailing slash, and `#/PowerControl/0` where some
 * controllers write `#PowerControl/0`.
 */
export const normalizeId = (id: string): string =>
  id
    .replace(/^https?:\/\/[^/]+/, '')
    .replace(/#(?!\/)/, '#/')
    .replace(/\/+$/, '');

/** Target of a link, '' if it is no link. */
export const linkOf = (value: unknown): string => normalizeId(textOf(objectOf(value)['@odata.id']));

export const linksOf = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).map(linkOf).filter((id) => id !== '');

/** Members that only one kind of resource has, for resources that lost their type. */
const distinctiveMembers: readonly (readonly [member: string, type: string])[] = [
  ['PowerControl', 'Power'],
  ['Temperatures', 'Thermal'],
  ['MetricValues', 'MetricReport'],
  ['ReadingType', 'Sensor'],
  ['LineInputStatus', 'PowerSupply'],
  ['DetectorState', 'LeakDetector'],
];

/** `PowerSupply` of `#PowerSupply.v1_5_0.PowerSupply`. */
export function typeOf(doc: Json): string {
  const match = /^#(?:.*\.)?(\w+)$/.exec(textOf(doc['@odata.type']));
  return match?.[1] ?? distinctiveMembers.find(([member]) => member in doc)?.[1] ?? '';
}

const TYPE = /^#\w+\.(v\d+_\d+_\d+\.)?\w+$/;
const MESSAGE_ID = /^\w+\.\d+\.\d+(\.\d+)?\.\w+$/;

/** A resource, a collection of resources, or a message of an EventService. */
export function looksLikeRedfish(value: unknown): boolean {
  if (Array.isArray(value)) return looksLikeRedfish(value[0]);
  if (!isObject(value)) return false;
  if (/^\/redfish(\/|$)/.test(textOf(value['@odata.id']))) return true;
  if (TYPE.test(textOf(value['@odata.type'])) && ('Id' in value || 'Name' in value || 'Members' in value)) return true;
  const [event] = objectsOf(value['Events']);
  return event !== undefined && (MESSAGE_ID.test(textOf(event['MessageId'])) || 'OriginOfCondition' in event);
}
