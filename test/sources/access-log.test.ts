import { expect, test } from 'vitest';
import { accessLog } from '../../src/main/sources/log-lines/grammars/access.ts';
import { gin } from '../../src/main/sources/log-lines/grammars/gin.ts';
import { readLine } from '../../src/main/sources/log-lines/grammars.ts';

const START = '10.0.0.7 - - [01/May/2026:14:10:00 +0000] "POST /v1/completions HTTP/1.1" 200 4711';
const AGENT = `${START} "-" "curl/8.5.0"`;
const durationsOf = (line: string) => {
  const { duration_ms, 'upstream.duration_ms': upstream_ms } = accessLog.read(line)?.attributes ?? {};
  return [duration_ms, upstream_ms];
};

test.each([
  ['nginx: $request_time', `${AGENT} 0.640`, 640, undefined],
  ['without an agent', `${START} 0.640`, 640, undefined],
  ['nginx: $request_time $upstream_response_time $pipe', `${AGENT} 0.640 0.625 .`, 640, 625],
  ['the same, the other way round', `${AGENT} 0.625 0.640`, 640, 625],
  ['in quotes, behind the forwarded address', `${AGENT} "10.1.2.3, 10.1.2.4" "4.001" "3.900"`, 4001, 3900],
  ['with names', `${AGENT} rt=0.640 uct="0.000" uht="0.310" urt="0.625"`, 640, 625],
  ['with long names', `${AGENT} request_time=1.2 upstream_response_time=-`, 1200, undefined],
  ['servers that were tried', `${AGENT} rt=0.640 urt="0.010, 0.020 : 0.500"`, 640, 530],
  [
    'ingress-nginx',
    `${AGENT} 512 0.318 [default-llm-8000] [] 10.244.1.7:8000, 10.244.1.8:8000 0, 93 0.002, 0.316 502, 200 9f1c`,
    318,
    undefined,
  ],
  ['Traefik', `${START} "-" "-" 4 "llm@docker" "http://172.18.0.3:8000" 127ms`, 127, undefined],
  ['Apache: %T/%D', `${AGENT} **2/2310456**`, 2310.456, undefined],
  ['Apache: %D with its letter', `${AGENT} D=2310456`, 2310.456, undefined],
  ['a whole number alone may be a length', `${AGENT} 2310456`, undefined, undefined],
  ['a fraction that is none', `${AGENT} 3/7`, undefined, undefined],
  ['a time since 1970', `${AGENT} 1777644600.123`, undefined, undefined],
  ['nothing more', AGENT, undefined, undefined],
  [
    'Envoy',
    '[2026-05-01T14:10:00.123Z] "GET / HTTP/1.1" 200 - 0 32 25 24 "-" "curl/8" "f5e3" "llm" "10.0.0.9:8000"',
    25,
    24,
  ],
  [
    'Envoy without an upstream',
    '[2026-05-01T14:10:00.123Z] "GET / HTTP/1.1" 503 UF 0 32 25 - "-" "curl/8" "f5e3" "llm" "-"',
    25,
    undefined,
  ],
])('durations of an access log: %s', (_, line, duration, upstream) => {
  expect(durationsOf(line)).toEqual([duration, upstream]);
});

test('a hostile end of a line costs no time', () => {
  const began = performance.now();
  for (const end of ['"'.repeat(200_000), 'a='.repeat(100_000), '0.001 '.repeat(50_000), '['.repeat(200_000)])
    accessLog.read(`${AGENT} ${end}`);
  expect(performance.now() - began).toBeLessThan(2000);
});

test.each([
  ['927.678091ms', 927.678091],
  ['414.019µs', 0.414019],
  ['35.684791792s', 35_684.791792],
  ['29m59s', 1_799_000],
  ['1h0m3s', 3_603_000],
  ['0s', 0],
])('a request of Gin, as the log of Ollama has them: %s', (written, duration_ms) => {
  const line = `[GIN] 2026/05/01 - 14:00:10 | 500 | ${written.padStart(13)} |       10.0.0.12 | POST     "/api/chat"`;
  expect(readLine(line)).toMatchObject({
    moment: { year: 2026, month: 5, day: 1, hour: 14, minute: 0, second: 10 },
    attributes: {
      'http.request.method': 'POST',
      'url.path': '/api/chat',
      'http.response.status_code': 500,
      'client.address': '10.0.0.12',
      duration_ms,
    },
  });
});

test('what Gin writes of its routes is no request', () => {
  expect(gin.read('[GIN-debug] POST   /api/pull   --> main.PullHandler-fm (5 handlers)')).toBeUndefined();
});
