import type { Alias, EntityKind } from '../../../model/entity.ts';

/** An entity that resources are about. */
export interface Thing {
  readonly kind: EntityKind;
  readonly id: string;
  readonly aliases?: readonly Alias[];
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export const thingKey = ({ kind, id }: Thing): string => `${kind}:${id}`;

/** What firmware says where nobody ever entered a name. */
const PLACEHOLDER =
  /^(to be filled.*|default( string)?|n\/?a|none|null|unknown|undefined|not (specified|available|applicable)|system (serial|product).*|redacted|x{3,}|\$.*|[0\s.-]+|0?123456789|string|\.+)$/i;

/** A name that somebody gave; '' for placeholders. */
export const givenName = (text: string): string => (PLACEHOLDER.test(text) ? '' : text);
