export const mechanismRelations = ['same', 'below', 'above', 'beside', 'carries', 'other supply', 'other end'] as const;
/**
 * Relation of an effect to its cause: on the same entity, below, above, beside, carried by it, on the other supply of the same machines,
 * or on the port at the other end of the cable of a machine or switch that it is, contains or feeds.
 */
export type MechanismRelation = (typeof mechanismRelations)[number];
