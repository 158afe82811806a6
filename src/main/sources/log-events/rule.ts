import type { EntityKind, Severity } from '../../../model/entity.ts';
import type { EventType } from '../../../model/telemetry/event-catalog.ts';
import type { EventDetails } from '../../../model/telemetry/event-details.ts';

/** What is known of the writer of a record: any program can print the words of a driver, and would then forge its event. */
export type Writer = 'kernel' | 'program' | 'unknown';

/** The entity that a log line is about. */
export type Subject =
  | { readonly kind: 'gpu'; readonly pci: string }
  | { readonly kind: 'nvswitch' | 'device'; readonly pci: string }
  | { readonly kind: 'nic'; readonly name: string }
  /** Of a switch or router. */
  | { readonly kind: 'port'; readonly name: string }
  | { readonly kind: 'cpu'; readonly index: string }
  /** A server of network storage, as its clients name it. */
  | { readonly kind: 'storage'; readonly name: string }
  /** Nodes of a cluster, as its scheduler names them: each has the event. */
  | { readonly kind: 'nodes'; readonly names: readonly string[] }
  /** A job, by the number that its scheduler gave it. `isSender`: the record is from its own output. */
  | { readonly kind: 'job'; readonly id: string; readonly isSender?: boolean }
  /** The device of power or cooling that wrote the log, by its name and its words. */
  | { readonly kind: 'facility'; readonly of: EntityKind }
  /** The machine whose log it is. */
  | { readonly kind: 'machine' }
  /** What wrote the record: a service, pod or rank; of a kernel, its machine. */
  | { readonly kind: 'sender' };

/** An event that the text of a log record states. */
export interface LogEvent {
  readonly type: EventType;
  readonly severity: Severity;
  readonly subject: Subject;
  readonly message: string;
  /** Xid, SXid, process, and whatever else the line states. */
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly details?: EventDetails;
}

/** One wording of a driver, kernel or library. */
export interface Rule {
  /** Every text that matches contains one of these; the search for them skips all other records. */
  readonly needles: readonly string[];
  /** Only in lines of the kernel: elsewhere these words can mean something else. */
  readonly kernelOnly?: true;
  readonly pattern: RegExp;
  /** undefined: the text only looks like it. */
  readonly read: (match: RegExpExecArray) => LogEvent | undefined;
}

export const machine: Subject = { kind: 'machine' };
export const sender: Subject = { kind: 'sender' };
