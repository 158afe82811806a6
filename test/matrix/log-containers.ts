import { parquetOf } from '../support/parquet-of.ts';
import { type LogContainer, type LogFact, MACHINE, PROGRAM } from './log-fact.ts';
import { iso } from './matrix.ts';

const json = (value: unknown): string => JSON.stringify(value);
const lines = (facts: readonly LogFact[], one: (fact: LogFact) => string): string =>
  facts.map((fact) => `${one(fact)}\n`).join('');
const NEEDS_KERNEL = 'such a line is an event only where the container keeps that the kernel wrote it';
const withoutWriter = ({ needsKernel }: LogFact): string | undefined => (needsKernel ? NEEDS_KERNEL : undefined);
const ofMachine = ({ writer }: LogFact): string | undefined =>
  writer === 'program' ? 'of the machine, or of a rank without a job: the container names no service' : undefined;
const sender = ({ writer }: LogFact): string => (writer === 'kernel' ? 'kernel' : PROGRAM);
const nanoseconds = ({ at }: LogFact): string => `${at}000000000`;

const journald: LogContainer = {
  name: 'journald',
  sender: 'machine',
  note: ofMachine,
  write: (facts) => ({
    file: 'journal.json',
    content: lines(facts, (fact) =>
      json({
        __REALTIME_TIMESTAMP: `${fact.at}000000`,
        _HOSTNAME: MACHINE,
        _TRANSPORT: fact.writer === 'kernel' ? 'kernel' : 'stdout',
        SYSLOG_IDENTIFIER: sender(fact),
        PRIORITY: '3',
        MESSAGE: fact.text,
      }),
    ),
  }),
};
const syslog: LogContainer = {
  name: 'syslog',
  sender: 'machine',
  note: ofMachine,
  write: (facts) => ({
    file: 'messages',
    content: lines(
      facts,
      (fact) => `${iso(fact.at).replace('.000Z', '+00:00')} ${MACHINE} ${sender(fact)}: ${fact.text}`,
    ),
  }),
};
const record = (fact: LogFact) => ({
  time: iso(fact.at),
  level: 'error',
  msg: fact.text,
  service: PROGRAM,
  host: MACHINE,
});
const jsonLines: LogContainer = {
  name: 'JSON lines',
  sender: 'service',
  hole: withoutWriter,
  write: (facts) => ({ file: 'app.jsonl', content: lines(facts, (fact) => json(record(fact))) }),
};
const logfmt: LogContainer = {
  name: 'logfmt',
  sender: 'service',
  hole: withoutWriter,
  write: (facts) => ({
    file: 'app.log',
    content: lines(facts, (fact) =>
      Object.entries(record(fact))
        .map(([key, value]) => `${key}=${json(value)}`)
        .join(' '),
    ),
  }),
};
const cri: LogContainer = {
  name: 'CRI',
  sender: 'service',
  hole: withoutWriter,
  write: (facts) => ({
    file: '0.log',
    content: lines(facts, (fact) => `${iso(fact.at).replace('Z', '000000Z')} stderr F ${json(record(fact))}`),
  }),
};
const docker: LogContainer = {
  name: 'docker',
  sender: 'service',
  hole: withoutWriter,
  write: (facts) => ({
    file: 'container-json.log',
    content: lines(facts, (fact) => json({ log: `${json(record(fact))}\n`, stream: 'stderr', time: iso(fact.at) })),
  }),
};
const loki: LogContainer = {
  name: 'Loki',
  sender: 'service',
  hole: withoutWriter,
  write: (facts) => ({
    file: 'loki.json',
    content: json({
      status: 'success',
      data: {
        resultType: 'streams',
        result: [
          {
            stream: { service_name: PROGRAM, host: MACHINE },
            values: facts.map((fact) => [nanoseconds(fact), fact.text]),
          },
        ],
      },
    }),
  }),
};
const elasticsearch: LogContainer = {
  name: 'Elasticsearch',
  sender: 'service',
  hole: withoutWriter,
  write: (facts) => ({
    file: 'search.json',
    content: json({
      hits: {
        hits: facts.map((fact, i) => ({
          _index: 'logs',
          _id: String(i),
          _source: {
            '@timestamp': iso(fact.at),
            message: fact.text,
            host: { name: MACHINE },
            service: { name: PROGRAM },
          },
        })),
      },
    }),
  }),
};
const cloudwatch: LogContainer = {
  name: 'CloudWatch Logs',
  sender: 'service',
  hole: withoutWriter,
  write: (facts) => ({
    file: 'events.json',
    content: json({ events: facts.map((fact) => ({ timestamp: fact.at * 1000, message: json(record(fact)) })) }),
  }),
};
const cell = (text: string): string => `"${text.replaceAll('"', '""')}"`;
const csv: LogContainer = {
  name: 'CSV',
  sender: 'service',
  hole: withoutWriter,
  write: (facts) => ({
    file: 'logs.csv',
    content: `time,host,service,level,message\n${lines(facts, (fact) => [iso(fact.at), MACHINE, PROGRAM, 'error', cell(fact.text)].join())}`,
  }),
};
const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
/** As the collector's journald receiver hands entries over. */
const otlp: LogContainer = {
  name: 'OTLP',
  sender: 'service',
  write: (facts) => ({
    file: 'otlp.json',
    content: json({
      resourceLogs: [
        {
          resource: { attributes: [text('host.name', MACHINE), text('service.name', PROGRAM)] },
          scopeLogs: [
            {
              logRecords: facts.map((fact) => ({
                timeUnixNano: nanoseconds(fact),
                body:
                  fact.writer === 'kernel'
                    ? { kvlistValue: { values: [text('MESSAGE', fact.text), text('_TRANSPORT', 'kernel')] } }
                    : { stringValue: fact.text },
              })),
            },
          ],
        },
      ],
    }),
  }),
};
const influx: LogContainer = {
  name: 'InfluxDB line protocol',
  sender: 'machine',
  note: ofMachine,
  write: (facts) => ({
    file: 'syslog.lp',
    content: lines(
      facts,
      (fact) =>
        `syslog,appname=${sender(fact)},host=${MACHINE},severity=err message="${fact.text.replaceAll('"', '\\"')}" ${nanoseconds(fact)}`,
    ),
  }),
};
const sqlText = (value: string): string => `'${value.replaceAll("'", "''")}'`;
const parquet: LogContainer = {
  name: 'Parquet',
  sender: 'service',
  hole: withoutWriter,
  write: async (facts) => {
    const rows = facts.map((fact) => `(${fact.at}000000000, ${sqlText(fact.text)})`);
    const resource = json({ 'host.name': MACHINE });
    const select = `select t.*, '${PROGRAM}' as ServiceName, ${sqlText(resource)} as ResourceAttributes, 17 as SeverityNumber
      from (values ${rows.join()}) t(TimeUnixNano, Body)`;
    return { file: 'logs.parquet', content: await parquetOf(select) };
  },
};

/** Each form in which lines of logs come. */
export const logContainers: readonly LogContainer[] = [
  journald,
  syslog,
  jsonLines,
  logfmt,
  cri,
  docker,
  loki,
  elasticsearch,
  cloudwatch,
  csv,
  otlp,
  influx,
  parquet,
];
