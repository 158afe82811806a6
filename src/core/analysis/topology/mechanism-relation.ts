export const mechanismRelations = ['same', 'below', 'above', 'beside', 'carries'] as const;
/** Relation of an effect to its cause: on the same entity, below, above, beside, or carried by it. */
export type MechanismRelation = (typeof mechanismRelations)[number];
