import type { Conditions, Second, Served } from './engine.ts';
import type { Scene } from './scene.ts';
import type { Replica } from './site.ts';

/** A run of all replicas. */
export interface Run {
  readonly scene: Scene;
  readonly replicas: readonly Replica[];
  readonly served: readonly Served[];
  /** By replica. */
  readonly seconds: readonly (readonly Second[])[];
}

/** Something that goes wrong: what it changes for the engines, and the records that it leaves beside their own. */
export interface Fault {
  /** Its instant is {@link faultAt_s}. */
  conditions(scene: Scene, replica: Replica): (at_s: number) => Partial<Conditions>;
  /** Name and text of further files. */
  files(run: Run): readonly (readonly [name: string, text: string])[];
  /** `kind:id` of the entity in which it begins. */
  subject(run: Run): string;
  /** What was changed, in a sentence. */
  cause(run: Run): string;
  /** Which server the engines are. */
  readonly engine?: 'vllm' | 'triton';
}
