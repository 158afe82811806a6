import type { Alias } from '../entity.ts';

/**
 * Placeholders of firmware, templates and anonymisers: SMBIOS defaults, zeros, an all-zero
 * UUID, the name that every machine has for itself.
 */
const PLACEHOLDER =
  /^(to be filled.*|o\.?e\.?m\.?|default( string)?|(none|null|unknown|undefined|empty|invalid|redacted|string)|n\/?a|not (specified|available|applicable|present)|no asset (tag|information)|asset[- ]?1234567890|chassis serial number|system (serial|product|manufacturer).*|(<|\().*(>|\))|x{3,}|\$.*|[0\s.-]+|[f-]+|0?123456789|1234567890|03000200-0400-0500-0006-000700080009|(gpu|mig)-[0-]{8,}|localhost(\..*)?|localhost[46]?\.localdomain[46]?|\.+)?$/i;

/** Addresses that many machines have at the same time: of this host, of no network, of bridges for containers. */
const EVERYWHERE =
  /^(127\.|0\.|169\.254\.|255\.|172\.(1[7-9]|2\d|3[01])\.0\.1(\/|$)|192\.168\.122\.1(\/|$)|::1?(\/|$)|::ffff:127\.|fe[89ab][0-9a-f]:)/i;

/** A name that somebody gave; '' for placeholders. */
export const assignedName = (text: string): string => (PLACEHOLDER.test(text.trim()) ? '' : text.trim());

/** False for placeholder names, which unrelated entities share. */
export const isDistinguishing = ({ kind, name }: Alias): boolean =>
  assignedName(name) !== '' && !(kind === 'ip_address' && EVERYWHERE.test(name));
