import type { Moment } from '../log-record/moment.ts';
import type { TraceContext } from '../log-record/trace-context.ts';

/** The first line of a record, taken apart. */
export interface ReadLine {
  /** undefined: the line states no time. */
  readonly moment: Moment | undefined;
  readonly severity: number;
  /** The level as written; '' none. */
  readonly severity_text: string;
  readonly body: string;
  /** The logger, or the library whose log this is; '' unknown. */
  readonly scope: string;
  readonly resource: Readonly<Record<string, string>>;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly context?: TraceContext;
  readonly rank?: number | undefined;
  /** The line is a JSON object. */
  readonly isJson?: boolean;
  /** An assumption that this line needs, for the remarks of the source. */
  readonly remark?: string;
}

/** How a library writes its lines. Grammars are tried in order; each is certain of its lines by its own marks. */
export interface Grammar {
  readonly id: string;
  /** undefined: not a line of this grammar. */
  read(line: string): ReadLine | undefined;
}

export const nothing: Readonly<Record<string, never>> = {};
