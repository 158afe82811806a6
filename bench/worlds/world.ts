import type { Label } from '../corpus/label.ts';

/** A label of a world, with what the files cannot show. */
export interface WorldLabel extends Label {
  /** The files show the root, and a way from it to a service that suffered. */
  readonly inferable: boolean;
}

/** One recording as files, with the truth about it. */
export interface WorldIncident {
  /** World and seed. */
  readonly id: string;
  /** Of the first thing that was made to go wrong. */
  readonly family: string;
  /** By path, as they go through the importers. */
  readonly files: ReadonlyMap<string, string>;
  /** One for each thing that did harm; else one that expects nothing. */
  readonly labels: readonly WorldLabel[];
  /** Services that went on as ever: an incident on one of them is a false one. */
  readonly calm: readonly string[];
  /** What was made to happen, for a human. */
  readonly story: readonly string[];
}

/** Makes labelled incidents; one seed gives one incident. */
export interface World {
  readonly name: string;
  /** For figures by family. */
  readonly families: readonly string[];
  readonly make: (seed: number) => WorldIncident;
}
