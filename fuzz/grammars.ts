import fc from 'fast-check';
import { opcodes } from '../src/main/sources/flight-recorder/opcodes.ts';

type Bytes = fc.Arbitrary<Uint8Array>;
const joined = (parts: readonly Uint8Array[]): Uint8Array => Buffer.concat(parts);
const textOf = (text: fc.Arbitrary<string>): Bytes => text.map((it) => Buffer.from(it));

/** A number as people and machines write them, sound or not. */
const numeral = fc.oneof(
  fc.double().map(String),
  fc.bigInt({ min: -(2n ** 66n), max: 2n ** 66n }).map(String),
  fc.constantFrom('', '0', '-0', '+Inf', 'NaN', 'nan', '1e999', '0x1F', '1_000', '1.2.3', 'N/A', '[Not Supported]'),
);

/** Any JSON value whose keys and texts are the format's own. */
function json(words: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const { value } = fc.letrec<{ value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.oneof(
        words.map((word) => JSON.stringify(word)),
        numeral,
        fc.constantFrom('null', 'true', '""', '"\\ud800"', '{}'),
      ),
      fc.array(tie('value'), { maxLength: 4 }).map((list) => `[${list.join()}]`),
      fc
        .array(fc.tuple(words, tie('value')), { maxLength: 6 })
        .map((members) => `{${members.map(([key, member]) => `${JSON.stringify(key)}:${member}`).join()}}`),
    ),
  }));
  return fc.array(value, { minLength: 1, maxLength: 3 }).map((documents) => documents.join('\n'));
}

/** OTLP: the messages' own way down to the records, and anything inside them. */
function otlpJson(words: fc.Arbitrary<string>): Bytes {
  const inside = json(words).map((text) => text.split('\n')[0]!);
  const list = fc.array(inside, { maxLength: 4 }).map((values) => values.join());
  const record = fc.oneof(
    list.map((spans) => `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans}]}]}]}`),
    list.map((logs) => `{"resourceLogs":[{"scopeLogs":[{"logRecords":[${logs}]}]}]}`),
    fc
      .tuple(fc.constantFrom('gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'), list)
      .map(
        ([kind, points]) =>
          `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"m","${kind}":{"dataPoints":[${points}]}}]}]}]}`,
      ),
    inside.map((resource) => `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"spans":[{"name":"n"}]}]}]}`),
  );
  return textOf(fc.array(record, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')));
}

const varint = fc.oneof(fc.nat(127).map(BigInt), fc.bigInt({ min: 0n, max: 2n ** 70n })).map((value) => {
  const bytes: number[] = [];
  let rest = value;
  for (; rest > 127n; rest >>= 7n) bytes.push(Number(rest & 127n) | 128);
  return Uint8Array.from([...bytes, Number(rest)]);
});

/** Fields of any number and wire type inside fields, with lengths that are mostly right. */
function protobuf(): Bytes {
  const { message } = fc.letrec<{ message: Uint8Array; field: Uint8Array }>((tie) => ({
    field: fc
      .tuple(
        fc.oneof(fc.integer({ min: 1, max: 16 }), fc.nat(600)),
        fc.nat(7),
        fc.oneof(fc.constant(0), fc.integer({ min: -3, max: 300 })),
      )
      .chain(([number, wireType, lie]) => {
        const key = number * 8 + wireType;
        const head = key < 128 ? [key] : [(key & 127) | 128, key >> 7];
        const content: Bytes =
          wireType === 0
            ? varint
            : wireType === 1 || wireType === 5
              ? fc.uint8Array({ minLength: wireType === 1 ? 8 : 4, maxLength: wireType === 1 ? 8 : 4 })
              : wireType === 2
                ? fc.oneof(tie('message'), tie('message'), fc.uint8Array({ maxLength: 20 })).map((inner) => {
                    const length = Math.max(0, inner.length + lie);
                    return joined([
                      Uint8Array.from(length < 128 ? [length] : [(length & 127) | 128, (length >> 7) & 127]),
                      inner,
                    ]);
                  })
                : fc.constant(new Uint8Array());
        return content.map((bytes) => joined([Uint8Array.from(head), bytes]));
      }),
    message: fc.array(tie('field'), { maxLength: 5, depthIdentifier: 'message' }).map(joined),
  }));
  return message;
}

/** A resource, a scope and records of any fields: what an OTLP request looks like from afar. */
const otlpProtobuf = (): Bytes =>
  fc.array(protobuf(), { minLength: 1, maxLength: 4 }).map((records) => {
    const field = (number: number, content: Uint8Array): Uint8Array => {
      const { length } = content;
      return joined([
        Uint8Array.from([number * 8 + 2, (length & 127) | 128, ((length >> 7) & 127) | 128, length >> 14]),
        content,
      ]);
    };
    return field(1, field(2, joined(records.map((record) => field(2, record)))));
  });

/** Opcodes of every kind after each other, with arguments of the size they ask for. */
function pickle(): Bytes {
  const codes = [...opcodes.entries()];
  const plain = codes.filter(([, { use }]) => use === 'plain');
  const instruction = fc
    .tuple(
      fc.oneof(fc.constantFrom(...plain), fc.constantFrom(...plain), fc.constantFrom(...codes)),
      fc.uint8Array({ minLength: 8, maxLength: 12 }),
    )
    .map(([[code, { argument }], data]) => {
      if ('lines' in argument)
        return Buffer.from(`${String.fromCharCode(code)}${'os\n'.repeat(argument.lines)}`, 'latin1');
      const size = 'bytes' in argument ? argument.bytes : argument.counted;
      const length =
        'bytes' in argument
          ? data.subarray(0, size)
          : Uint8Array.from({ length: size }, (_, i) => (i === 0 ? data.length : 0));
      return joined([Uint8Array.from([code]), length, 'bytes' in argument ? new Uint8Array() : data]);
    });
  return fc
    .tuple(fc.constantFrom(2, 4, 5), fc.array(instruction, { maxLength: 60 }))
    .map(([protocol, body]) => joined([Uint8Array.from([0x80, protocol]), ...body, Buffer.from('.')]));
}

function xml(words: fc.Arbitrary<string>): Bytes {
  const name = words.filter((word) => /^[A-Za-z_][\w.-]*$/.test(word));
  const { element } = fc.letrec<{ element: string }>((tie) => ({
    element: fc
      .tuple(
        name,
        fc.array(fc.tuple(name, words), { maxLength: 2 }),
        fc.array(fc.oneof({ maxDepth: 6 }, words, numeral, tie('element')), { maxLength: 5 }),
      )
      .map(
        ([tag, attributes, inner]) =>
          `<${tag}${attributes.map(([key, value]) => ` ${key}="${value}"`).join('')}>${inner.join('')}</${tag}>`,
      ),
  }));
  return textOf(
    fc
      .array(element, { maxLength: 6 })
      .map(
        (gpus) =>
          `<?xml version="1.0" ?>\n<nvidia_smi_log><timestamp>Fri Aug  4 11:44:30 2023</timestamp><gpu id="0">${gpus.join('')}</gpu></nvidia_smi_log>\n`,
      ),
  );
}

const table = (words: fc.Arbitrary<string>, separator: string): fc.Arbitrary<string> =>
  fc
    .array(fc.array(fc.oneof(words, numeral, fc.constantFrom('"', '""', '"a\nb"', '" "')), { maxLength: 8 }), {
      maxLength: 12,
    })
    .map((rows) => rows.map((row) => row.join(separator)).join('\n'));

function prometheus(words: fc.Arbitrary<string>): Bytes {
  const labels = fc
    .array(fc.tuple(words, words), { maxLength: 3 })
    .map((pairs) => (pairs.length === 0 ? '' : `{${pairs.map(([name, value]) => `${name}="${value}"`).join(',')}}`));
  const type = fc.constantFrom('gauge', 'counter', 'histogram', 'summary', 'gaugehistogram', 'info', 'stateset', 'x');
  const line = fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(words, labels, numeral, fc.oneof(numeral, fc.constant('')))
        .map(([name, set, value, time]) => `${name}${set} ${value} ${time}`),
    },
    { weight: 2, arbitrary: fc.tuple(words, type).map(([name, kind]) => `# TYPE ${name} ${kind}`) },
    {
      weight: 1,
      arbitrary: fc
        .tuple(words, numeral)
        .map(([name, value]) => `${name}_bucket{le="${value}"} ${value} # {trace_id="a"} ${value}`),
    },
    { weight: 1, arbitrary: words.map((word) => `# HELP ${word}`) },
    { weight: 1, arbitrary: fc.constantFrom('# EOF', '', '#', '{') },
  );
  return textOf(
    fc.array(line, { maxLength: 40 }).map((lines) => `# HELP a b\n# TYPE a gauge\na 1\n${lines.join('\n')}\n`),
  );
}

function snmpWalk(): Bytes {
  const base = fc.constantFrom(
    '1.3.6.1.2.1.1',
    '1.3.6.1.2.1.33.1',
    '1.3.6.1.4.1.318.1.1.26',
    '1.3.6.1.4.1.1718.4.1',
    '1.3.6.1.2.1.99.1.1.1',
    '1.3.6.1.4.1.13742.6',
  );
  const oid = fc
    .tuple(base, fc.array(fc.oneof(fc.nat(20), fc.nat(), fc.constant(2 ** 32)), { maxLength: 8 }))
    .map(([start, rest]) => [start, ...rest].join('.'));
  const value = fc.oneof(numeral, fc.string({ unit: 'binary' }), oid);
  const type = fc.constantFrom(
    'INTEGER',
    'STRING',
    'OID',
    'Timeticks',
    'Gauge32',
    'Counter64',
    'Hex-STRING',
    'IpAddress',
    'x',
  );
  const walk = fc.tuple(oid, type, value).map(([at, kind, it]) => `.${at} = ${kind}: ${it}`);
  const record = fc
    .tuple(oid, fc.constantFrom('2', '4', '4x', '6', '65', '66', '67', '70', 'z'), value)
    .map(([at, kind, it]) => `${at}|${kind}|${it}`);
  const lines = (line: fc.Arbitrary<string>) => fc.array(line, { maxLength: 30 }).map((list) => list.join('\n'));
  return textOf(fc.oneof(lines(walk), lines(record)));
}

/**
 * Inputs made from scratch for a format, sound enough to get past its first checks. Formats without one of their own
 * are told by their fixtures: JSON, else tables of their words.
 */
export function grammarOf(id: string, fixtures: readonly Uint8Array[]): Bytes {
  const found = fixtures.flatMap(
    (bytes) =>
      Buffer.from(bytes)
        .toString()
        .match(/[A-Za-z_#][\w.:/-]{0,40}/g) ?? [],
  );
  const list = [...new Set(found)].slice(0, 300);
  const words = fc.oneof(fc.constantFrom('a', ...list), fc.string({ unit: 'binary', maxLength: 6 }));
  switch (id) {
    case 'otlp-json':
      return otlpJson(words);
    case 'otlp-protobuf':
      return otlpProtobuf();
    case 'flight-recorder':
      return fc.oneof(pickle(), textOf(json(words)));
    case 'nvidia-smi':
      return fc.oneof(xml(words), textOf(table(words, ', ')));
    case 'prometheus':
      return prometheus(words);
    case 'snmp-walk':
      return snmpWalk();
    default: {
      const isJson = fixtures.some((bytes) => bytes[0] === 0x7b || bytes[0] === 0x5b);
      return isJson ? textOf(json(words)) : fc.oneof(textOf(table(words, ',')), textOf(table(words, ' ')));
    }
  }
}
