import { parseTraceDrawing } from './drawn-trace-group.ts';

const START_NS = 1_767_225_600_000_000_000n;
const hex = (value: bigint, digits: number): string => value.toString(16).padStart(digits, '0');
export const drawnTraceId = (trace: number): string => hex(0xabc0000n + BigInt(trace), 32);
const time = (ms: number): string => String(START_NS + BigInt(Math.round(ms * 1e6)));

/** A drawing as one OTLP request in JSON, each process a resource; `shift_ms` by process makes its clock wrong. */
export function drawnOtlp(drawing: string, shift_ms: Readonly<Record<string, number>> = {}): object {
  const spans = parseTraceDrawing(drawing);
  const traceOf = new Map(spans.map(({ id, trace }) => [id, trace]));
  const byProcess = Map.groupBy(spans, ({ process }) => process);
  return {
    resourceSpans: [...byProcess].map(([process, own]) => ({
      resource: {
        attributes: [
          { key: 'service.name', value: { stringValue: own[0]?.service } },
          { key: 'service.instance.id', value: { stringValue: process } },
        ],
      },
      scopeSpans: [
        {
          spans: own.map(({ trace, id, parent, name, kind, failed, from_ms, until_ms, links }) => ({
            traceId: drawnTraceId(trace),
            spanId: hex(id, 16),
            ...(parent === 0n ? {} : { parentSpanId: hex(parent, 16) }),
            name: name.replace(/^(->|~>|<~|\(\))/, ''),
            kind,
            startTimeUnixNano: time(from_ms + (shift_ms[process] ?? 0)),
            endTimeUnixNano: time(until_ms + (shift_ms[process] ?? 0)),
            ...(failed ? { status: { code: 2, message: 'failed as drawn' } } : {}),
            events: failed ? [{ timeUnixNano: time(until_ms - 1 + (shift_ms[process] ?? 0)), name: 'exception' }] : [],
            links: links.map((linked) => ({
              traceId: drawnTraceId(traceOf.get(linked) ?? 999),
              spanId: hex(linked, 16),
            })),
          })),
        },
      ],
    })),
  };
}

/** A GPU that reported an ECC error is cordoned, drained and repaired: four programs, four traces, linked. */
export const MAINTENANCE = `
  monitor detect-ecc        <----------------------->                                          #detect
    monitor ->PUT /events     <---------->
      store PUT /events         <------>
        store ()write             <-->
    monitor ~>publish                        <-->                                              #sent
  --- +4200
  quarantine evaluate               <------------------------------>                           ^sent
    quarantine ()rules                <----->
    quarantine ->PATCH /nodes                <------------------>                              #cordon
      kube PATCH /nodes                         <------------->
  --- +95000
  drainer reconcile                                  <--------------------------------------!  ^cordon
    drainer ->POST /evict                              <------>
      kube POST /evict                                   <-->
    drainer ->POST /evict                                        <-------------!
      kube POST /evict                                             <----------!
    drainer ->POST /evict                                                        <------>      #evicted
      kube POST /evict                                                             <-->
  --- +31000
  remediation reboot                                                <--------------------->    ^evicted
    remediation ->POST /reset                                         <------------->
      bmc POST /reset                                                   <--------->
`;
