import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { visibleLine, visibleText } from '../../src/base/visible-text.ts';
import { cli, faultline } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';
import { otlpOf } from '../support/trace-case.ts';

/** A terminal would take it for colours, a title, a cursor; readers would read our own words backwards. */
const EVIL = '\u001b[2J\u001b]0;owned\u0007\u009b31m\u202eelif\u2066\u200f\u2028\u061c\u{e0041}\u007f';
/** Begins a line that pretends to be ours. */
const LINE = `x\nfaultline: imported, no rejects${EVIL}`;
const raw = /(?![\n\t])\p{Cc}|[\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u{e0000}-\u{e007f}]/u;

async function hostileCase() {
  const folder = await temporaryFolder();
  const path = join(folder, 'night.faultline');
  const write = async (name: string, content: unknown): Promise<string> => {
    await writeFile(join(folder, name), JSON.stringify(content));
    return join(folder, name);
  };
  const pdu = `PDU-B ${EVIL}`;
  const named = JSON.parse(JSON.stringify(topology).replaceAll('PDU-B', JSON.stringify(pdu).slice(1, -1)));
  const events = [
    event('e1', 690, 'pdu_snmp', 'voltage_sag', pdu),
    event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
    { ...event(`e3 ${EVIL}`, 692, 'redfish', LINE, LINE), severity: EVIL },
  ];
  const spans = [
    { trace: 'A', id: 'a', name: LINE, service: `api ${EVIL}`, kind: 2, from: 0, to: 600, failed: LINE },
    { trace: 'A', id: 'b', parent: 'a', name: EVIL, service: LINE, from: 10, to: 90 },
  ];
  const files = [
    await write(`events\u202enosj.json`, { events }),
    await write('traces.json', { service_metrics: service('inference') }),
    await write('topology.json', named),
    await write('spans.json', otlpOf(spans)),
    await write(`diary ${EVIL.replaceAll('/', '')}.txt`, 'warm'),
  ];
  return { folder, path, files, pdu };
}

test('names from anywhere reach standard output and error only as text, whatever the command', async () => {
  const { folder, path, files } = await hostileCase();
  const [events = '', traces = '', map = ''] = files;
  const seenTexts: [string, string][] = [];
  const run = async (...args: string[]) => {
    const { out, err } = await faultline(...args);
    seenTexts.push([args.join(' '), out], [args.join(' '), err]);
    return { out, err };
  };
  await run('import', path, ...files, '--keep');
  await run('import', path, events);
  await run('import', path, ...files, '--dry-run');
  await run('import', join(folder, `none${EVIL}.faultline`), join(folder, `gone ${EVIL}`));
  await run('info', path, '--rejects');
  for (const output of ['timeline', 'json', 'markdown'])
    await run('correlate', '--events', events, '--traces', traces, '--topology', map, '--output', output);
  await run('correlate', path, '--without-event', EVIL);
  await run('query', path, 'select * from spans', '--format', 'table');
  await run('query', path, `select '${EVIL}' from nothing`);
  await run('traces', path, '{}');
  await run('traces', path, `{ name = "${EVIL}" && }`);
  for (const command of ['topology', 'patterns', 'notices']) await run(command, path);
  await run('patterns', path, '--pattern', EVIL);
  for (const format of ['markdown', 'html', 'json', 'grafana']) await run('report', path, '--format', format);
  await run('export', path, '--csv', EVIL);
  await run('export', path, '--bundle', join(folder, 'x.flb'));
  await run(EVIL);
  const empty = seenTexts
    .filter(([, text], at) => at % 2 === 0 && text === '' && seenTexts[at + 1]?.[1] === '')
    .map(([command]) => command);
  expect(empty).toEqual([]);
  expect(
    seenTexts.filter(([, text]) => raw.test(text)).map(([command, text]) => [command, raw.exec(text)?.input]),
  ).toEqual([]);
  // It was there to be shown, and no line of it stands alone.
  const all = seenTexts.map(([, text]) => text).join('\n');
  expect(all).toContain('\\u202e');
  expect(seenTexts.filter(([command]) => !/table|html/.test(command)).join('\n')).not.toMatch(/^faultline: imported/m);
});

test('JSON has the same values; CSV for other programs is unchanged', async () => {
  const { path, files, pdu } = await hostileCase();
  await faultline('import', path, ...files.slice(0, 4), '--keep');
  const sql = "select distinct device_id as e from events where type = 'voltage_sag'";
  const { out } = await faultline('query', path, sql, '--format', 'json');
  expect([raw.test(out), JSON.parse(out)]).toEqual([false, [{ e: pdu }]]);
  expect((await faultline('query', path, sql, '--format', 'csv')).out).toContain(pdu);
  const terminal = spawnSync('script', [
    '-qfc',
    [process.execPath, cli, 'query', path, `"${sql}"`, '--format', 'csv'].join(' '),
    '/dev/null',
  ]);
  if (terminal.status === 0) expect(raw.test(String(terminal.stdout).replaceAll('\r', ''))).toBe(false);
  const report = join(path, '..', 'report.md');
  await faultline('report', path, '--out', report);
  const markdown = await readFile(report, 'utf8');
  expect(markdown.split('\n').filter((line) => raw.test(line))).toEqual([]);
  expect(markdown).toContain('u202e');
});

test('what is shown is what was there, and other scripts stay as they are', () => {
  expect(visibleText('a\u202eb\u001b[0m\r\nc\td')).toBe('a\\u202eb\\u001b[0m\nc\td');
  expect(JSON.parse(visibleText(JSON.stringify({ a: EVIL })))).toEqual({ a: EVIL });
  expect(visibleLine('a\nb\tc')).toBe('a\\u000ab\\u0009c');
  const foreignText = 'שלום مرحبا 日本語 🙂 e\u0301 👩\u200d🔧';
  expect(visibleLine(foreignText)).toBe(foreignText);
});
