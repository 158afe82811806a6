export const mechanismRelations = ['same', 'below', 'above', 'beside', 'carries', 'other supply'] as const;
/** Relation of an effect to its cause: on the same entity, below, above, beside, carried by it, or on the other supply of the same machines. */
export type MechanismRelation = (typeof mechanismRelations)[number];
