import { assert } from '../../base/assert.ts';

/** A number that is judgement or tuned, and what it means. */
export interface Parameter {
  readonly value: number;
  /** One sentence. */
  readonly meaning: string;
  /** Smallest and largest number that a user may set; otherwise 0 and what the unit allows. */
  readonly least?: number;
  readonly most?: number;
}

/** The parameters of a stage as numbers, by name. */
export type StageParameters<Name extends string = string> = Readonly<Record<Name, number>>;

interface Stage {
  readonly definitions: ReadonlyMap<string, Parameter>;
  /** The numbers that the stage reads. */
  readonly values: Record<string, number>;
}

const stages = new WeakMap<StageParameters, Stage>();

/**
 * Defines the parameters of a stage. They are read where they are used, never copied into a constant of a module: a sweep sets
 * them while the program runs (`parameters.ts`).
 * @param definitions by name; a name ends in its unit where it has one: `mergeSeconds`, `leastShare`
 */
export function parameters<Name extends string>(definitions: Readonly<Record<Name, Parameter>>): StageParameters<Name> {
  const known = new Map(Object.entries<Parameter>(definitions));
  const values: Record<string, number> = {};
  for (const [name, { value }] of known) values[name] = value;
  stages.set(values, { definitions: known, values });
  return values as StageParameters<Name>;
}

/** Definitions and numbers of a stage, for the list of all stages. */
export function stageOf(stage: StageParameters): Stage {
  const found = stages.get(stage);
  assert(found, 'parameters of a stage are made by parameters()');
  return found;
}
