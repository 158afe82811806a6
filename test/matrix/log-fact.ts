import type { Container, Fact } from './matrix.ts';

/** A line of a log of one machine, {@link MACHINE}, and what it states. */
export interface LogFact extends Fact {
  readonly text: string;
  /** Whether the kernel wrote it; programs are {@link PROGRAM}. */
  readonly writer: 'kernel' | 'program';
  /** It is an event only where it is known that the kernel wrote it. */
  readonly needsKernel: boolean;
  /** s since 1970, a minute for each fact. */
  readonly at: number;
  readonly type: string;
  /** '': the program that wrote it. */
  readonly device: string;
}

/** What the container calls the program that wrote a line. */
export interface LogContainer extends Container<LogFact> {
  readonly sender: 'service' | 'machine';
}

export const MACHINE = 'gpu-01';
export const PROGRAM = 'trainer';
