import type { Alias, EntityKind } from '../../../model/entity.ts';

/** An entity that resources are about. */
export interface Thing {
  readonly kind: EntityKind;
  readonly id: string;
  readonly aliases?: readonly Alias[];
  readonly attributes?: Readonly<Record<string, unknown>>;
}

export const thingKey = ({ kind, id }: Thing): string => `${kind}:${id}`;
