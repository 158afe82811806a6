/** Texts at which writers and readers of files stumble. */
export const hostileTexts: readonly string[] = [
  'plain',
  ' leading and trailing ',
  'comma, "quotes", semicolon; tab\there',
  'line\nfeed',
  'carriage\r\nreturn',
  '\r',
  '\n',
  'NUL \0 within',
  '\0',
  "=cmd|' /C calc'!A0",
  '+1+1',
  '-2+3',
  '@SUM(1)',
  '\t=1+1',
  '\r=1+1',
  ' =1+1',
  "'=1+1",
  "''@x",
  "'",
  "'plain",
  '＝1+1',
  '\u202eright to left\u202c',
  '\u2066isolated\u2069',
  '\ufeffbyte order mark',
  '\ufeff=1',
  '\u2028 line separator \u2029',
  '日本語 🙂 é e\u0301',
  '\ufffd replaced',
  '{"json": [1, null]}',
  'null',
  'NULL',
  '\\N',
  '\\',
  '\\"',
  '""',
  '"',
  '-',
  '0x1F',
  '00012',
  '1e5',
  '9007199254740993',
  'true',
  '<script>alert(1)</script>',
  '$HOME %s %n',
  'x'.repeat(70_000),
];

const id = (i: number): string => (i + 1).toString(16).padStart(16, '0');
const value = (stringValue: string) => ({ stringValue });

/** Spans, logs and points that bear them in every place that takes a text. */
export const hostileOtlp = {
  resourceSpans: [
    {
      resource: { attributes: [{ key: 'service.name', value: value('api') }] },
      scopeSpans: [
        {
          scope: { name: 'scope, "1"' },
          spans: hostileTexts.map((text, i) => ({
            traceId: id(i).repeat(2),
            spanId: id(i),
            name: text,
            kind: 1 + (i % 5),
            startTimeUnixNano: String(1_767_225_600_000_000_000n + BigInt(i) * 1_000_001n),
            endTimeUnixNano: String(1_767_225_600_000_500_003n + BigInt(i) * 1_000_001n),
            status: { code: i % 3, message: text },
            traceState: text,
            flags: i,
            droppedAttributesCount: i % 2,
            attributes: [
              { key: 'text', value: value(text) },
              { key: text, value: { intValue: '9007199254740993' } },
              { key: 'number', value: { doubleValue: 0.1 + i } },
            ],
            events: [
              {
                timeUnixNano: String(1_767_225_600_000_000_007n + BigInt(i)),
                name: text,
                attributes: [{ key: 'e', value: value(text) }],
              },
            ],
            links: [
              {
                traceId: id(i + 1).repeat(2),
                spanId: id(i + 1),
                traceState: text,
                attributes: [{ key: 'l', value: value(text) }],
              },
            ],
          })),
        },
      ],
    },
  ],
};
