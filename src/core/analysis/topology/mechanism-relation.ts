export const mechanismRelations = ['same', 'below', 'above', 'beside', 'carries'] as const;
/** How an effect lies to its cause: on the same thing, below it, above it, beside it, or carried by it. */
export type MechanismRelation = (typeof mechanismRelations)[number];
