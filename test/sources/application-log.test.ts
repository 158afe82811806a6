import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { applicationLog } from '../../src/main/sources/application-log/index.ts';
import { sources } from '../../src/main/sources/index.ts';
import { FileHead } from '../../src/model/storage/source.ts';
import { formatUtc, nanos } from '../../src/model/time.ts';
import { type Row, readSource, reasonsOf } from '../support/read-source.ts';
import { CAPTURED_NS } from '../support/source-input.ts';

const fixture = (name: string) => readFileSync(join(import.meta.dirname, '../../fixtures/application-log', name));
const at = (row: Row | undefined) => formatUtc(nanos(row?.time_ns as bigint));
const formatOf = (text: string) => sources.find((one) => one.detect(new FileHead(Buffer.from(text))))?.id;
const TRACE = [0x0af7651916cd43ddn, 0x8448eb211c80319cn];
const SPAN = 0xb7ad6b7169203331n;
const MAY_2 = { captured_ns: 1_777_680_000_000_000_000n };

test('JSON lines of every library give time, level, text, trace, service and rank', async () => {
  const reading = await readSource(applicationLog, fixture('json-dialects.jsonl'));
  const { log } = reading.rows;
  expect(log.map((row) => [String(row.body).split('\n')[0], row.severity])).toEqual([
    ['slog', 9],
    ['zap', 13],
    ['logrus', 17],
    ['pino', 9],
    ['bunyan', 17],
    ['structlog', 18],
    ['Serilog {N}', 13],
    ['ECS flat', 5],
    ['ECS nested', 17],
    ['GELF', 17],
    ['Google', 17],
    ['see traceparent 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', 13],
  ]);
  log.forEach((row, i) => {
    expect(at(row).slice(0, 19)).toBe(`2026-05-01T14:04:${18 + i}`);
  });
  expect(log[0]?.time_ns).toBe(1_777_644_258_000_000_001n);
  expect(log[1]?.body).toBe('zap\nmain.main\n\t/a/b.go:12');
  const traced = log.flatMap(({ trace_hi, trace_lo, span_id }, i) =>
    trace_hi ? [[i, trace_hi, trace_lo, span_id]] : [],
  );
  expect(traced).toEqual([2, 6, 7, 8, 10, 11].map((i) => [i, ...TRACE, i === 7 ? 0n : SPAN]));
  // A short id is nobody's: it stays what it is.
  expect(log[9]?.attributes).toContain('"_trace_id":"abc"');
  expect(log[0]?.attributes).toContain('"request.id":"r-1"');
  expect(log[5]?.attributes).toContain('"rank":3');
  for (const one of [
    'service:scheduler',
    'server:node-3',
    'service:gateway',
    'rank:rank-3',
    'service:api',
    'server:node-4',
  ])
    expect([...reading.entities.keys()]).toContain(one);
  expect(reasonsOf(reading)).toEqual(['a JSON record without a time', 'malformed JSON']);
});

test('text lines of every library are read, and stack traces belong to their record', async () => {
  const reading = await readSource(applicationLog, fixture('lines.log'), MAY_2);
  const { log } = reading.rows;
  expect(log.map((row) => [row.severity_text, row.scope, String(row.body).split('\n')[0]])).toEqual([
    ['INFO', 'trainer:step:12', 'loguru'],
    ['WARNING', 'trainer', 'basic'],
    ['ERROR', 'c.f.Job', 'logback'],
    ['ERROR', '', 'controller/a.go:12\tzap console'],
    ['I', '', 'Triton'],
    ['', '', 'SGLang'],
    ['warn', '', 'log "fmt"'],
    ['', '', expect.stringContaining('GET /v1/models')],
    ['', '', expect.stringContaining('POST /v1/chat')],
    ['error', '', '12#12: *1 upstream timed out'],
    ['', '', 'ctime'],
  ]);
  log.forEach((row, i) => {
    expect(at(row).slice(0, 19), String(row.body)).toBe(`2026-05-01T14:04:${18 + i}`);
  });
  expect(String(log[2]?.body).split('\n')).toHaveLength(4);
  expect([log[3]?.trace_hi, log[3]?.trace_lo, log[3]?.span_id]).toEqual([...TRACE, SPAN]);
  expect(log[5]?.attributes).toContain('"tp.rank":1');
  expect(log[6]?.trace_lo).toBe(TRACE[1]);
  expect(log[7]?.attributes).toContain('"http.response.status_code":503');
  expect(log[8]?.attributes).toContain('"request.id":"req-7"');
  expect(reading.remarks).toContain('times have no zone: read as UTC');
});

test('lines of NeMo have their level, place and time, and state training steps', async () => {
  const text = [
    '[NeMo I 2026-05-01 14:00:05 nemo_logging:393] Training epoch 0, iteration 3/99 | lr: 1.5e-05 | global_step: 3 | reduced_train_loss: 11.03 | train_step_timing in s: 5.25',
    '[NeMo W 2026-05-01 14:00:07 rerun_state_machine:239 rank:12] Implicit initialization',
    '      of the rerun state machine',
    '[NeMo E 2026-05-01 14:00:09 exp_manager:708] There were no checkpoints found',
  ].join('\n');
  expect(formatOf(text)).toBe('application-log');
  const { log } = (await readSource(applicationLog, text)).rows;
  expect(log.map((row) => [at(row).slice(11, 19), row.severity, row.scope])).toEqual([
    ['14:00:05', 9, 'NeMo'],
    ['14:00:07', 13, 'NeMo'],
    ['14:00:09', 17, 'NeMo'],
  ]);
  expect(JSON.parse(String(log[0]?.attributes))).toMatchObject({
    'code.file.path': 'nemo_logging',
    'code.line.number': 393,
    'training.step': 3,
    'training.step.duration': 5.25,
    'training.loss': 11.03,
  });
  expect(JSON.parse(String(log[1]?.attributes)).rank).toBe(12);
  expect(log[1]?.body).toContain('of the rerun state machine');
});

test('envelopes of container runtimes come off, their parts are joined', async () => {
  const cri = await readSource(applicationLog, fixture('cri.log'));
  expect(cri.rows.log.map(({ body, severity }) => [body, severity])).toEqual([
    ['x', 13],
    ['hello', 0],
  ]);
  const stamp = (second: number, tag: string, text: string) => `2026-05-01T14:04:0${second}.5Z stderr ${tag} ${text}\n`;
  const text = [
    stamp(1, 'P', '2026-05-01 14:04:01,5 ERROR t: a'),
    stamp(1, 'F', ' b'),
    stamp(1, 'F', 'Traceback (most recent call last):'),
    stamp(1, 'F', '  File "x.py"'),
    stamp(1, 'F', 'ValueError: c'),
    stamp(2, 'F', '{"log":"inner\\n","stream":"stdout","time":"2026-05-01T14:04:03Z"}'),
  ].join('');
  const joined = await readSource(applicationLog, text);
  expect(joined.rows.log.map(({ body }) => body)).toEqual([
    'a b\nTraceback (most recent call last):\n  File "x.py"\nValueError: c',
    'inner',
  ]);
});

test('the same text gives the same event from every container', async () => {
  const line = 'CUDA out of memory. Tried to allocate 20.00 GiB';
  const contents = [
    `2026-05-01 14:04:20,123 ERROR trainer: ${line}\n`,
    `{"time":"2026-05-01T14:04:20Z","level":"ERROR","msg":"${line}"}\n`,
    `2026-05-01T14:04:20Z stdout F ${line}\n`,
    `{"log":"${line}\\n","stream":"stderr","time":"2026-05-01T14:04:20Z"}\n`,
    `E0501 14:04:20.123456 1 a.cc:1] ${line}\n`,
    `level=error time=2026-05-01T14:04:20Z msg="${line}"\n`,
  ];
  for (const content of contents) {
    const { rows } = await readSource(applicationLog, content, MAY_2);
    expect(
      rows.event.map(({ type, message }) => [type, message]),
      content,
    ).toEqual([['gpu_out_of_memory', line]]);
    expect(formatOf(content), content).toBe('application-log');
  }
});

test('a watchdog line is an event of its rank, a time without a year is of the last year before the recording', async () => {
  const { rows, remarks } = await readSource(applicationLog, fixture('train.log'), MAY_2);
  expect(rows.event[0]).toMatchObject({ type: 'collective_timeout', entity: 'rank:rank-3' });
  expect(at(rows.log[0])).toBe('2026-05-01T14:04:20.123Z');
  expect(remarks.some((one) => one.startsWith('times have no year'))).toBe(true);
});

test('a log without any time is placed at its recording, with a remark', async () => {
  const { rows, remarks } = await readSource(applicationLog, fixture('nccl.log'));
  expect(rows.log.map(({ time_ns, severity }) => [time_ns, severity])).toEqual([
    [CAPTURED_NS, 13],
    [CAPTURED_NS, 9],
  ]);
  expect(remarks.some((one) => one.startsWith('the log has no times'))).toBe(true);
});

test('no machine is called like a level, and prose is no log', () => {
  expect(formatOf('2026-05-01 14:04:18,001 INFO trainer: step 100\n')).toBe('application-log');
  expect(formatOf('May  1 14:04:20 node-3 trainer[123]: hello\n')).toBe('kernel-log');
  expect(formatOf('Dear reader,\nthis is a letter.\n2026-05-01 14:04:18 was a Friday.\n')).not.toBe('application-log');
  expect(formatOf('hello\nworld\n')).toBeUndefined();
});

test('the beginning of a line whose rest never came is a reject, not lost', async () => {
  const cut = '2026-05-01T14:04:19Z stderr P half a line';
  const reading = await readSource(applicationLog, `2026-05-01T14:04:18Z stdout F whole\n${cut}\n`);
  expect(reading.rows.log.map(({ body }) => body)).toEqual(['whole']);
  expect(reasonsOf(reading)).toEqual(['the rest of a line that the container runtime cut is missing']);
});

test('an export of CloudWatch Logs gives JSON fields, and stack traces whose every line has a time', async () => {
  const reading = await readSource(applicationLog, fixture('cloudwatch-export.log'));
  const { log } = reading.rows;
  expect(log.map(({ severity, body }) => [severity, String(body).split('\n').length])).toEqual([
    [9, 1],
    [17, 1],
    [17, 4],
    [0, 1],
  ]);
  expect(log[1]).toMatchObject({ body: 'CUDA out of memory', trace_hi: TRACE[0], span_id: SPAN });
  expect(log[1]?.attributes).toBe('{"request.id":"r-77"}');
  expect(reading.rows.event.map(({ type }) => type)).toContain('gpu_out_of_memory');
});

test.each(['logcli.log', 'logcli.jsonl'])('%s gives the fields of its labels and of its lines', async (name) => {
  const reading = await readSource(applicationLog, fixture(name));
  expect(reading.rows.log.map(({ severity }) => severity).sort()).toEqual(expect.arrayContaining([17, 17, 9]));
  for (const one of ['pod:worker-0', 'rank:rank-3'].filter(() => name === 'logcli.log'))
    expect([...reading.entities.keys()]).toContain(one);
  for (const one of ['pod:ml/worker-1', 'rank:rank-4'].filter(() => name === 'logcli.jsonl'))
    expect([...reading.entities.keys()]).toContain(one);
  expect(reasonsOf(reading)).toEqual([]);
});

test('a level that is set apart by spaces begins a record', async () => {
  const lines = [
    '2026-05-01T14:04:18.1Z  INFO app: a',
    '2026-05-01T14:04:18.2Z     WARN app: b',
    '2026-05-01T14:04:19Z IOError: c',
  ];
  const { rows } = await readSource(applicationLog, `${lines.join('\n')}\n`);
  expect(rows.log).toHaveLength(3);
});
