import { DumpedJob } from '../../sources/flight-recorder/dumped-job.ts';
import { type Dump, isMembers, member } from '../../sources/flight-recorder/format.ts';

interface Run {
  readonly job: DumpedJob;
  /** When the last operation in any dump of it was created, ns. */
  last_ns: bigint;
  /** Number of the last entry by file; a recorder counts from 0 when its process starts. */
  readonly lastEntry: Map<string, number>;
}

/**
 * Runs of a job, by the dumps of its ranks: a job that starts again numbers its operations again, which must not be compared with
 * those of the run before. A new run begins with a dump whose entries are all later than those of the run before, and whose
 * recorder counted anew.
 */
export class JobRuns {
  private readonly name: string;
  private readonly runs: Run[];

  constructor(name: string) {
    this.name = name;
    this.runs = [{ job: new DumpedJob(name), last_ns: 0n, lastEntry: new Map() }];
  }

  get count(): number {
    return this.runs.length;
  }

  /** The job of the latest run. */
  get latest(): DumpedJob {
    return this.runs.at(-1)!.job;
  }

  /** The job that a dump is of. */
  jobOf(file: string, dump: Dump): DumpedJob {
    const { first_ns, last_ns, firstEntry, lastEntry } = extentOf(dump);
    const before = this.runs.findLastIndex((run) => run.last_ns !== 0n && first_ns > run.last_ns);
    const isAfterAll = before === this.runs.length - 1;
    const known = this.runs.at(-1)!.lastEntry.get(file);
    // A rank that was not seen before may only be late for its first operation.
    if (isAfterAll && known !== undefined && firstEntry <= known) {
      const job = new DumpedJob(`${this.name} (run ${this.runs.length + 1})`);
      this.runs.push({ job, last_ns: 0n, lastEntry: new Map() });
    }
    const run = this.runs[Math.min(before + 1, this.runs.length - 1)]!;
    if (last_ns > run.last_ns) run.last_ns = last_ns;
    run.lastEntry.set(file, lastEntry);
    return run.job;
  }
}

/** Times of 0 where no entry has one: such a dump begins no run. */
function extentOf({ entries }: Dump) {
  let [first_ns, last_ns, firstEntry, lastEntry] = [0n, 0n, Number.POSITIVE_INFINITY, -1];
  for (const { value } of entries) {
    if (!isMembers(value)) continue;
    const created_ns = wholeNumber(member(value, 'time_created_ns'));
    const number = Number(wholeNumber(member(value, 'record_id')) ?? -1n);
    if (created_ns !== undefined && created_ns > 0n) {
      if (first_ns === 0n || created_ns < first_ns) first_ns = created_ns;
      if (created_ns > last_ns) last_ns = created_ns;
    }
    if (number >= 0) firstEntry = Math.min(firstEntry, number);
    lastEntry = Math.max(lastEntry, number);
  }
  return { first_ns, last_ns, firstEntry, lastEntry };
}

const wholeNumber = (value: unknown): bigint | undefined =>
  typeof value === 'bigint' ? value : Number.isSafeInteger(value) ? BigInt(value as number) : undefined;
