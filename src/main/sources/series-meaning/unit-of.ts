/** Unit words that Prometheus names end with, as UCUM. */
const suffixes: Readonly<Record<string, string>> = {
  seconds: 's',
  milliseconds: 'ms',
  ms: 'ms',
  microseconds: 'us',
  us: 'us',
  nanoseconds: 'ns',
  ns: 'ns',
  bytes: 'By',
  bits: 'bit',
  joules: 'J',
  watts: 'W',
  watt: 'W',
  volts: 'V',
  amperes: 'A',
  amps: 'A',
  celsius: 'Cel',
  ratio: '1',
  percent: '%',
  hertz: 'Hz',
  hz: 'Hz',
  rpm: 'rpm',
  tokens: '{token}',
  packets: '{packet}',
  requests: '{request}',
};

/** The declared unit, else the one that a name ends with; '' if it has none. */
export function unitOf(name: string, declared: string): string {
  const word = declared || (/_([a-z]+)(?:_total|_sum|_bucket|_count|_created|_max|_min)*$/.exec(name)?.[1] ?? '');
  if (Object.hasOwn(suffixes, word)) return suffixes[word]!;
  return declared;
}
