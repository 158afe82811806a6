import type { Problem } from '../problem.ts';
import type { SqlResult } from './engine.ts';

/** What a process that runs statements of people is asked; each is answered once, by its number. */
export type StatementOrder =
  | {
      readonly kind: 'query' | 'parquet';
      readonly id: number;
      readonly sql: string;
      /** Rows of a query at most. */
      readonly limit: number;
      /** The case may have been written to since its copy was made, but no longer ago than this. */
      readonly most_age_ms: number;
    }
  | { readonly kind: 'cancel'; readonly id: number };

export type StatementAnswer =
  | { readonly id: number; readonly kind: 'rows'; readonly rows: SqlResult & { readonly truncated: boolean } }
  | { readonly id: number; readonly kind: 'parquet'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly id: number; readonly kind: 'problem'; readonly problem: Problem }
  | { readonly id: number; readonly kind: 'bug'; readonly message: string };

/** A process of its own, however a host starts one. */
export interface OwnProcess {
  post(order: StatementOrder): void;
  onAnswer(listener: (answer: StatementAnswer) => void): void;
  /** `signal`: what it was killed by, where the host knows. */
  onEnd(listener: (signal: string | null) => void): void;
  kill(): void;
}

/** By what a statement process ends itself when a statement took all the memory that it may have. */
export const ENDED_BY_MEMORY = 'SIGUSR2';

/** Starts a process for the statements over one database file. */
export type StartProcess = (database: string) => OwnProcess;
