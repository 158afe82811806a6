import type { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { attributesText } from '../../../model/rows/records.ts';
import { LogEvents } from '../log-events/log-events.ts';
import { statedInside } from '../log-lines/joined.ts';
import { levelInText } from '../log-record/level.ts';
import { mayTextStateStep, readStep } from '../training-steps/read-step.ts';
import { rankOfRecord } from '../workload/rank-in-text.ts';

/** A line with its time known. */
export interface TimedLine {
  readonly time_ns: bigint;
  readonly host: string;
  readonly program: string;
  /** syslog level; -1: unknown. */
  readonly level: number;
  readonly message: string;
  readonly raw: string;
  readonly attributes?: Readonly<Record<string, unknown>>;
}

/** OpenTelemetry severity numbers for syslog levels 0 to 7 (logs data model, appendix B). */
const severityNumbers = [21, 19, 18, 17, 13, 10, 9, 5];
const severityNames = ['EMERGENCY', 'ALERT', 'CRITICAL', 'ERROR', 'WARNING', 'NOTICE', 'INFO', 'DEBUG'];

/** Messages of services that write JSON or logfmt, or name a trace or a rank. */
const MAY_STATE_MORE = /^\{"|^\w{2,20}=|trace[_.]?id|traceparent|\[\s?(?:global[ _])?rank/i;

const leveled = (message: string) => {
  const { severity, text } = levelInText(message);
  return { severity, severity_text: text };
};

/** Adds every line as a log record, with the event that it states. */
export class LineWriter {
  private readonly builder: BatchBuilder;
  private readonly events: LogEvents;

  constructor(builder: BatchBuilder) {
    this.builder = builder;
    this.events = new LogEvents(builder);
  }

  append(line: TimedLine): void {
    const { builder } = this;
    const machine = builder.entity('server', line.host, [{ kind: 'host_name', name: line.host }]);
    const resource = builder.resource({
      entity: machine,
      attributes: JSON.stringify({ 'host.name': line.host }),
      schema_url: '',
    });
    const inside = MAY_STATE_MORE.test(line.message) ? statedInside(line.message) : undefined;
    const stated = inside ?? (line.level < 0 ? leveled(line.message) : undefined);
    const isKernel = line.program === '' || line.program === 'kernel';
    const step = !isKernel && mayTextStateStep(line.message) ? readStep(line.message) : undefined;
    const severity = severityNumbers[line.level] ?? stated?.severity ?? 0;
    builder.table('log').push({
      time_ns: line.time_ns,
      observed_ns: 0n,
      severity,
      severity_text: builder.name(severityNames[line.level] ?? stated?.severity_text ?? ''),
      event_name: -1,
      resource,
      scope: builder.name(line.program || 'kernel'),
      trace_hi: inside?.context.trace_hi ?? 0n,
      trace_lo: inside?.context.trace_lo ?? 0n,
      span_id: inside?.context.span_id ?? 0n,
      flags: 0,
      body: line.message,
      attributes: attributesText({ ...line.attributes, ...inside?.attributes, ...step }),
      dropped: 0,
    });
    const rank = isKernel ? -1 : rankOfRecord(builder, line.message, { attributes: {}, machine });
    this.events.append({
      time_ns: line.time_ns,
      // Switches write `%FACILITY-5-MNEMONIC:` where others have their program's name.
      text: line.program.startsWith('%') ? `${line.program}: ${line.message}` : line.message,
      raw: line.raw,
      host: line.host,
      machine,
      sender: rank >= 0 ? rank : machine,
      gpu_uuid: '',
      writer: isKernel ? 'kernel' : 'program',
      origin: 'syslog',
    });
  }
}
