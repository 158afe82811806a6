import type { LogEvent } from './rule.ts';

/**
 * Lines of the report that torchrun prints when processes of a job failed (`torch/distributed/elastic/multiprocessing/errors/__init__.py`):
 * the other failures, then behind `Root Cause (first observed failure):` the one that its agent saw first. Each failure has a line with its
 * time, host, rank and exit code, in this order; a container runtime makes a record of each line, other logs keep the report as one record.
 */
export const reportNeedles: readonly string[] = [
  'Root Cause (first observed failure)',
  'Failures:',
  'time      : ',
  'host      : ',
  'rank      : ',
  'exitcode  : ',
];
const LINE =
  /^\s{0,4}(?:(Root Cause \(first observed failure\):)|(Failures:)|(time|host|rank|exitcode) {2,6}: (\S{1,255})(?: \((?:local_rank: (\d{1,4})|pid: \d+)\))?)\s*$/;
const LONGEST_REPORT = 200_000;

/** Time zones are multiples of it, so what separates two times of one clock within it is known without the zone. */
const QUARTER_NS = 900_000_000_000n;
/** SIGTERM: its launcher, or what runs that, ended it. */
const ENDED_BY_OTHERS = -15;

/** What a report states of one process. */
interface Stated {
  time?: string;
  host?: string;
  rank?: number;
  local_rank?: number;
}

export interface ReportedFailure {
  readonly time_ns: bigint;
  /** Number of the rank in its job. */
  readonly rank: number;
  /** The machine, as the report names it; '': unknown. */
  readonly host: string;
  readonly event: Pick<LogEvent, 'type' | 'severity' | 'message' | 'attributes'>;
}

/** Reads the reports in the records of one sender. */
export class FailureReport {
  private isFirst = false;
  private stated: Stated = {};

  /** The failures whose last line is in this text. @param time_ns of the record */
  read(text: string, time_ns: bigint): ReportedFailure[] {
    return text
      .slice(0, LONGEST_REPORT)
      .split('\n')
      .flatMap((line) => this.readLine(line, time_ns));
  }

  private readLine(line: string, time_ns: bigint): ReportedFailure[] {
    const [, first, others, name, value = '', local] = LINE.exec(line.slice(0, 512)) ?? [];
    if (first || others) {
      this.isFirst = first !== undefined;
      this.stated = {};
    }
    if (name === 'time') this.stated = { time: value };
    if (name === 'host') this.stated.host = value;
    if (name === 'rank' && /^\d{1,6}$/.test(value)) {
      this.stated.rank = Number(value);
      if (local !== undefined) this.stated.local_rank = Number(local);
    }
    return name === 'exitcode' && /^-?\d{1,5}$/.test(value) ? this.end(Number(value), time_ns) : [];
  }

  private end(code: number, reported_ns: bigint): ReportedFailure[] {
    const { time = '', host = '', rank, local_rank } = this.stated;
    this.stated = {};
    if (rank === undefined) return [];
    const isFirst = this.isFirst && code !== ENDED_BY_OTHERS;
    const how = code < 0 ? `signal ${-code}` : `exit code ${code}`;
    return [
      {
        time_ns: reported_ns - secondsBefore(time, reported_ns),
        rank,
        host,
        event: {
          type: isFirst ? 'rank_failed' : 'rank_ended',
          severity: isFirst ? 'critical' : 'low',
          message: `rank ${rank} ended with ${how}${isFirst ? ', before all others that torchrun watches there' : ''}`,
          attributes: { rank, exit_code: code, ...(local_rank === undefined ? {} : { local_rank }) },
        },
      },
    ];
  }
}

/** How long before its record a time of day was, of which no zone is stated; 0: it states none. */
function secondsBefore(time: string, reported_ns: bigint): bigint {
  const parts = /^(\d{4}-\d{2}-\d{2})_(\d{2}:\d{2}:\d{2})$/.exec(time);
  const ms = parts ? Date.parse(`${parts[1]}T${parts[2]}Z`) : Number.NaN;
  if (Number.isNaN(ms)) return 0n;
  const apart = (reported_ns - BigInt(ms) * 1_000_000n) % QUARTER_NS;
  return apart < 0n ? apart + QUARTER_NS : apart;
}
