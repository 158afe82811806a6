import type { Alias, EntityKind } from '../../../model/entity.ts';

/** An entity that resources are about. */
export interface RedfishEntity {
  readonly kind: EntityKind;
  readonly id: string;
  readonly aliases?: readonly Alias[];
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** Kinds of entities that get the readings that name no part. */
export const machines: ReadonlySet<EntityKind> = new Set(['server', 'pdu', 'rack', 'device']);

export const redfishEntityKey = ({ kind, id }: RedfishEntity): string => `${kind}:${id}`;
