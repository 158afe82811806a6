import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { cli, faultline as faultlineProcess, finished, start } from '../support/command-line.ts';
import { faultlineHere as faultline } from '../support/command-line-here.ts';
import { temporaryFolder } from '../support/core.ts';
import { demoFiles } from '../support/demo-case.ts';
import { olderNode } from '../support/older-node.ts';
import { at, event, service, topology } from '../support/scenario.ts';
import { atMs, otlpOf, traceIdOf } from '../support/trace-case.ts';

async function write(folder: string, name: string, content: unknown): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

async function incident(folder: string) {
  return {
    events: await write(folder, 'events.json', {
      events: [
        event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'),
        event('e2', 691, 'redfish', 'psu_failover', 'server-1'),
      ],
    }),
    traces: await write(folder, 'traces.json', { service_metrics: service('inference') }),
    topology: await write(folder, 'topology.json', topology),
  };
}

/** A line and its hint. */
const oneLine = (text: string) => expect(text.trim().split('\n').length).toBeLessThanOrEqual(2);

test('no command, an unknown command and wrong options are usage: exit 2', async () => {
  expect((await faultlineProcess()).out).toContain('correlate');
  expect((await faultlineProcess('nonsense')).code).toBe(2);
  for (const args of [
    ['nonsense'],
    ['correlate'],
    ['import', 'case-only'],
    ['correlate', 'x', '--output', 'html'],
    ['correlate', 'x', '--lag', 'soon'],
    ['serve', '--port', '99999'],
    ['info', 'x', '--frobnicate'],
  ]) {
    const { code, err } = await faultline(...args);
    expect([args, code]).toEqual([args, 2]);
    expect(err).not.toContain('    at ');
  }
});

test('options out of range are usage; what the system refuses is one line, not a trace', async () => {
  const folder = await temporaryFolder();
  const files = await incident(folder);
  const args = ['correlate', '--events', files.events, '--traces', files.traces, '--topology', files.topology];
  for (const option of [
    ['--lag', '0'],
    ['--confidence', '2'],
    ['--lag', '1e30'],
    ['--baseline', '0'],
  ]) {
    expect([option, (await faultline(...args, ...option)).code]).toEqual([option, 2]);
  }
  const path = join(folder, 'c.faultline');
  await faultline('import', path, files.events);
  const { code, err } = await faultline('report', path, '--out', folder);
  expect([code, err.includes('    at ')]).toEqual([1, false]);
  oneLine(err);
});

test('a refused import leaves no case behind', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'none.faultline');
  const odd = await write(folder, 'diary.txt', 'warm');
  expect((await faultlineProcess('import', path, join(folder, 'missing.json'))).code).toBe(1);
  expect((await faultline('import', path, odd)).code).toBe(1);
  expect((await faultline('info', path)).code).toBe(1);
});

test('correlate over three files: timeline, json, markdown', async () => {
  const files = await incident(await temporaryFolder());
  const args = ['correlate', '--events', files.events, '--traces', files.traces, '--topology', files.topology];
  const timeline = await faultline(...args);
  expect(timeline).toMatchObject({ code: 0, err: '' });
  expect(timeline.out).toContain('voltage sag');
  const json = JSON.parse((await faultline(...args, '--output', 'json', '--gpu-rate', '10')).out);
  expect(Object.keys(json)).toEqual(['report']);
  expect(json.report.incidents[0].causal_chain[0]).toMatchObject({
    event_id: 'e1',
    timestamp: at(690),
    caused_by: null,
    confidence: null,
  });
  expect(json.report.incidents[0].impact.estimated_cost_impact_usd).toBeCloseTo((10 * 110) / 3600, 2);
  expect((await faultline(...args, '--output', 'markdown')).out).toContain('# Post-mortem');
});

test.each([
  ['missing', null, 'no file'],
  ['not JSON', '{"events": [', 'not valid JSON'],
  ['a list where an object belongs', '[1, 2, 3]', 'no format'],
  ['events that are no list', '{"events": {"a": 1}}', 'not a list'],
  ['empty', '', 'empty'],
  ['binary', '\u0000\u0001\u0002binary', 'no format'],
])('a file that is %s is one clear line and exit 1', async (_what, content, message) => {
  const folder = await temporaryFolder();
  const { traces, topology: map } = await incident(folder);
  const bad = join(folder, 'bad.json');
  if (content !== null) await writeFile(bad, content);
  const { code, out, err } = await faultline('correlate', '--events', bad, '--traces', traces, '--topology', map);
  expect([code, out]).toEqual([1, '']);
  expect(err).toContain(message);
  expect(err).not.toContain('    at ');
  oneLine(err);
});

test('a time without a zone ends correlate with one clear line', async () => {
  const folder = await temporaryFolder();
  const files = await incident(folder);
  const naive = await write(folder, 'naive.json', {
    events: [{ ...event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'), timestamp: '2026-01-10T12:11:30' }],
  });
  const { code, err } = await faultline(
    'correlate',
    '--events',
    naive,
    '--traces',
    files.traces,
    '--topology',
    files.topology,
  );
  expect(code).toBe(1);
  expect(err).toContain('no time zone');
  oneLine(err);
});

test('import, info, query, report: a case from files to a post-mortem', async () => {
  const folder = await temporaryFolder();
  const files = await incident(folder);
  const path = join(folder, 'night.faultline');
  const imported = await faultlineProcess('import', path, files.events, files.traces, files.topology);
  expect(imported).toMatchObject({ code: 0, err: '' });
  expect(imported.out).toContain('imported events.json (powertrace): 2 event');
  const info = JSON.parse((await faultline('info', path, '--json')).out);
  expect(info).toMatchObject({
    name: 'night',
    rejects: 0,
    layers_missing: ['cooling', 'gpu', 'network', 'orchestrator'],
  });
  expect(info.sources).toHaveLength(3);
  const cost = await faultline('traces', path, '--cost-of', 'abc');
  expect(cost).toMatchObject({
    code: 0,
    err: '',
    out: 'total: unknown, cost unknown (the GPUs that served it are not recorded)\n',
  });
  expect((await faultline('traces', path, '--cost-of', 'no id')).code).toBe(2);
  const rows = JSON.parse(
    (
      await faultline(
        'query',
        path,
        'select type, count(*) as n from events group by type order by type',
        '--format',
        'json',
      )
    ).out,
  );
  expect(rows).toEqual([
    { type: 'psu_failover', n: 1 },
    { type: 'voltage_sag', n: 1 },
  ]);
  expect((await faultlineProcess('query', path, 'select 1 as a, \'x,"y"\' as b', '--format', 'csv')).out).toBe(
    'a,b\r\n1,"x,""y"""\r\n',
  );
  const parquet = await faultlineProcess('query', path, 'select * from events', '--format', 'parquet');
  expect([parquet.code, parquet.out.slice(0, 4)]).toEqual([0, 'PAR1']);
  const html = (await faultline('report', path, '--format', 'html')).out;
  expect(html).toContain('<h1 id=');
  expect(html).not.toMatch(/<script|https?:/);
  const out = join(folder, 'report.md');
  expect((await faultlineProcess('report', path, '--out', out)).code).toBe(0);
  const first = await readFile(out, 'utf8');
  expect(first).toContain('voltage sag');
  await faultline('report', path, '--out', out);
  expect(await readFile(out, 'utf8')).toBe(first);
});

test('the SQL of a user can neither write, nor see files, nor load anything', async () => {
  const folder = await temporaryFolder();
  const files = await incident(folder);
  const path = join(folder, 'safe.faultline');
  await faultline('import', path, files.events);
  const secret = await write(folder, 'secret.csv', 'a\n1\n');
  // harmless.test.ts has all refused statements; this tests the message.
  for (const sql of [
    'delete from event',
    `select * from read_csv('${secret}')`,
    'set enable_external_access = true',
    'explain analyze checkpoint',
  ]) {
    const { code, err } = await faultline('query', path, sql);
    expect([sql, code]).toEqual([sql, 1]);
    expect((await faultline('query', path, sql, '--format', 'parquet')).code).toBe(1);
    expect(err).not.toContain('    at ');
  }
  expect((await faultline('query', path, 'select count(*) as n from event', '--format', 'csv')).out).toBe('n\r\n2\r\n');
});

test('a bad record is a counted reject with its place and reason; the rest is imported', async () => {
  const folder = await temporaryFolder();
  const good = event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B');
  const file = await write(folder, 'events.json', {
    events: [
      good,
      { ...good, id: 'e2', severity: 'terrible' },
      'nonsense',
      { ...good, id: 'e4', timestamp: 'yesterday' },
    ],
  });
  const path = join(folder, 'rejects.faultline');
  const { code, out } = await faultline('import', path, file, '--keep');
  expect([code, out.trim()]).toEqual([0, 'imported events.json (powertrace): 1 event, 3 rejects']);
  const { reject_rows } = JSON.parse((await faultline('info', path, '--rejects', '--json')).out);
  expect(reject_rows.map((row: { at: number }) => row.at)).toEqual([1, 2, 3]);
  expect(reject_rows[0].reason).toContain('severity');
});

const mostlyBad = (id: string) => ({
  events: [event(id, 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'), { id: 'bad' }, { id: 'worse' }],
});

test('a file with mostly rejects is kept only with --keep, and does not stop others', async () => {
  const folder = await temporaryFolder();
  const bad = await write(folder, 'bad.json', mostlyBad('e1'));
  const half = await write(folder, 'half.json', {
    events: [event('e2', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B'), { id: 'bad' }],
  });
  const path = join(folder, 'c.faultline');
  const refused = await faultline('import', path, bad, half);
  expect(refused).toMatchObject({
    code: 1,
    out: 'refused  bad.json: 2 of 3 records of bad.json could not be read\nimported half.json (powertrace): 1 event, 1 reject\n',
  });
  expect(refused.err).toContain('--keep');
  oneLine(refused.err);
  const names = async () => {
    const info = JSON.parse((await faultline('info', path, '--json')).out);
    return info.sources.map(({ name }: { name: string }) => name);
  };
  expect(await names()).toEqual(['half.json']);
  const asJson = await faultline('import', path, bad, '--json');
  expect([asJson.code, JSON.parse(asJson.out)[0].problem.code]).toEqual([1, 'import.mostly_rejected']);
  expect((await faultline('import', path, bad, '--dry-run')).code).toBe(0);
  expect(await faultline('import', path, bad, '--keep')).toMatchObject({ code: 0, err: '' });
  expect(await names()).toEqual(['half.json', 'bad.json']);
});

/** Runs the command line on a terminal of its own; answers are typed as each question comes. */
async function onTerminal(
  args: readonly string[],
  answers: readonly string[],
): Promise<{ code: number | null; screen: string }> {
  const child = spawn('python3', [
    '-c',
    'import pty,os,sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])))',
    process.execPath,
    cli,
    ...args,
  ]);
  let screen = '';
  let prompts = 0;
  child.stdout.on('data', (chunk) => {
    screen += chunk;
    const promptCount = screen.split('Keep the rest of it?').length - 1;
    for (; prompts < promptCount && prompts < answers.length; prompts++) child.stdin.write(answers[prompts]);
  });
  const code = await new Promise<number | null>((resolve) => child.on('close', resolve));
  return { code, screen };
}

test('at a terminal it prompts with the reason, and one answer can apply to all others', async () => {
  const folder = await temporaryFolder();
  const files: string[] = [];
  for (const id of ['e1', 'e2', 'e3']) files.push(await write(folder, `${id}.json`, mostlyBad(id)));
  const path = join(folder, 'c.faultline');
  const sourceCount = async () => JSON.parse((await faultline('info', path, '--json')).out).sources.length;
  const first = await onTerminal(['import', path, ...files.slice(0, 2)], ['y\n', '\n']);
  expect(first.code).toBe(1);
  expect(first.screen).toContain('e1.json: 2 of 3 records could not be read');
  expect(first.screen).toContain('2 x event #: timestamp');
  expect(first.screen).toContain('"id":"bad"');
  expect(first.screen).toContain('a: yes to all that follow');
  expect(await sourceCount()).toBe(1);
  const rest = await onTerminal(['import', path, ...files.slice(1)], ['a\n']);
  expect([rest.code, rest.screen.split('Keep the rest').length]).toEqual([0, 2]);
  expect(await sourceCount()).toBe(3);
  // Ctrl-C while it asks.
  const other = await write(folder, 'e4.json', mostlyBad('e4'));
  const left = await onTerminal(['import', path, other], ['\u0003']);
  expect([left.code, left.screen.includes('cancelled')]).toEqual([1, true]);
  expect(await sourceCount()).toBe(3);
});

test('the same file again is refused with the flag to force it, and forced it is marked as a duplicate', async () => {
  const folder = await temporaryFolder();
  const { events } = await incident(folder);
  const path = join(folder, 'c.faultline');
  expect((await faultline('import', path, events)).code).toBe(0);
  const again = await write(folder, 'again.json', await readFile(events, 'utf8'));
  const refused = await faultline('import', path, again);
  expect([refused.code, refused.err]).toEqual([1, expect.stringContaining('--force')]);
  expect(refused.err).toContain('already in this case as events.json');
  expect(await faultline('import', path, again, '--force')).toMatchObject({ code: 0, err: '' });
  const { sources } = JSON.parse((await faultline('info', path, '--json')).out);
  expect(sources.map(({ name }: { name: string }) => name)).toEqual(['events.json', 'again.json']);
  expect(sources[1].remarks).toEqual(['has the same bytes as events.json, which was imported before']);
});

test('a file of no known format is refused in three lines with the nearest formats, and the others go on', async () => {
  const folder = await temporaryFolder();
  const files = await incident(folder);
  const odd = await write(folder, 'holiday.txt', 'Dear diary, the rack was warm.');
  const { code, out, err } = await faultline('import', join(folder, 'c.faultline'), odd, files.events);
  expect(code).toBe(1);
  expect(out).toContain('imported events.json');
  expect(err).toContain('no format that Faultline knows');
  expect(err).toContain('it looks like text: "Dear diary, the rack was warm."');
  const near = await write(folder, 'near.json', { resourceSpam: [], checkName: 'x' });
  const refused = await faultline('import', join(folder, 'c.faultline'), near);
  expect(refused.err).toContain('it looks like JSON: an object with "resourceSpam", "checkName"');
  expect(refused.err).toMatch(/nearest: nvsentinel \(/);
  for (const lines of [err, refused.err].map((text) => text.split('\n').filter((line) => line !== ''))) {
    expect(lines.length).toBeLessThanOrEqual(3);
    for (const line of lines) expect(line.length).toBeLessThan(400);
  }
});

test('--clock moves the events of its file onto the clock of the case', async () => {
  const folder = await temporaryFolder();
  const traces = await write(folder, 'traces.json', { service_metrics: service('inference') });
  const map = await write(folder, 'topology.json', topology);
  const late = await write(folder, 'pdu.json', {
    events: [event('e1', 3600 + 690, 'pdu_snmp', 'voltage_sag', 'PDU-B')],
  });
  const chain = async (...clock: string[]) => {
    const path = join(folder, `clock-${clock.length}.faultline`);
    expect((await faultline('import', path, traces, map, late, ...clock)).code).toBe(0);
    const { report } = JSON.parse((await faultline('correlate', path, '--output', 'json')).out);
    return report.incidents[0].causal_chain;
  };
  expect(await chain()).toHaveLength(1);
  expect((await chain('--clock', 'pdu.json=-3600'))[0]).toMatchObject({ event_id: 'e1', timestamp: at(690) });
  expect((await faultline('import', join(folder, 'x.faultline'), late, '--clock', 'sometime')).code).toBe(2);
});

test('a case that is missing, no case, or to be changed while open elsewhere is refused in one line', async () => {
  const folder = await temporaryFolder();
  const files = await incident(folder);
  const path = join(folder, 'busy.faultline');
  await faultline('import', path, files.events);
  expect((await faultline('info', join(folder, 'nowhere.faultline'))).err).toContain('nowhere.faultline');
  expect((await faultline('info', files.events)).code).toBe(1);
  const server = start('serve', path);
  const ended = finished(server);
  await new Promise((resolve) => server.stdout?.once('data', resolve));
  const { code, err } = await faultline('import', path, files.traces);
  expect([code, err.includes('open in another Faultline')]).toEqual([1, true]);
  server.kill('SIGTERM');
  expect((await ended).code).toBe(0);
});

test('demo writes an incident that its own correlator explains, the same bytes every time', async () => {
  const folder = await temporaryFolder();
  expect((await faultline('demo', '--dir', folder)).code).toBe(0);
  for (const file of await demoFiles())
    expect((await readFile(join(folder, 'files', basename(file)))).equals(await readFile(file))).toBe(true);
  const { report } = JSON.parse((await faultline('correlate', join(folder, 'demo.faultline'), '--json')).out);
  expect(report.incidents.map((one: { affected_services: string[] }) => one.affected_services[0]).sort()).toEqual([
    'chat-api',
    'llama-70b',
  ]);
  for (const one of report.incidents)
    expect(one.hypotheses[0]).toMatchObject({ type: 'voltage_sag', subject: { id: 'PDU-B-rack-22' } });
});

test('an older Node hands over to the bundled one, and so does what ends it', async (context) => {
  const node = olderNode();
  if (!node) return context.skip('no Node before 22 on this machine');
  const folder = await temporaryFolder();
  const path = join(folder, 'old.faultline');
  const { events } = await incident(folder);
  const run = (...args: string[]) => spawn(node, [cli, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  expect(await finished(run('import', path, events))).toMatchObject({ code: 0, err: '' });
  expect((await finished(run('info', join(folder, 'nowhere')))).code).toBe(1);
  const server = run('serve', path);
  const ended = finished(server);
  await new Promise((resolve) => server.stdout?.once('data', resolve));
  server.kill('SIGTERM');
  expect((await ended).code).toBe(0);
  // The one that did the work is gone too: it no longer holds the case.
  expect((await faultline('info', path)).code).toBe(0);
});

/** Part of every Linux; other systems lack it. */
const pinning = '/usr/bin/taskset';

test.skipIf(!existsSync(pinning))('a machine with one processor imports, too', async () => {
  const folder = await temporaryFolder();
  const files = await demoFiles();
  const path = join(folder, 'one.faultline');
  const onOne = (...args: readonly string[]) =>
    execFileSync(pinning, ['-c', '0', process.execPath, cli, ...args], { encoding: 'utf8', timeout: 60_000 });
  // One thread that asks and one that works: with a single one an INSERT would wait for ever.
  expect(onOne('import', path, ...files)).toContain('imported traces');
});

test('what-if flags rank again and report the changes; unknown names are one line with a hint', async () => {
  const folder = await temporaryFolder();
  const files = await incident(folder);
  const args = ['correlate', '--events', files.events, '--traces', files.traces, '--topology', files.topology];
  const json = await faultline(...args, '--without-layer', 'power', '--output', 'json');
  const { report, what_if } = JSON.parse(json.out);
  expect(what_if).toMatchObject({ supposed: 'without the power layer', without_layers: ['power'] });
  expect(what_if.changes[0]).toMatchObject({ incident: report.incidents[0].id, is_verdict_changed: true });
  expect(report.incidents[0].hypotheses.map(({ type }: { type: string }) => type)).not.toContain('voltage_sag');
  const timeline = await faultline(...args, '--without-event', 'e1', '--shift', 'events.json=-2');
  expect(timeline.out).toMatch(/^what if: without event e1 and with events\.json 2 s earlier\n/);
  const path = join(folder, 'case.faultline');
  await faultline('import', path, files.events, files.traces, files.topology);
  const away = await faultline('correlate', path, '--move-feed', 'server-1=', '--output', 'markdown');
  expect(away.out).toMatch(/^# What if: with server-1 not fed by anything\n/);
  for (const wrong of [
    ['--without-layer', 'plumbing'],
    ['--shift', 'events.json'],
    ['--move-feed', 'server-1'],
  ])
    expect([wrong, (await faultline('correlate', path, ...wrong)).code]).toEqual([wrong, 2]);
  for (const wrong of [
    ['--without-event', 'nope'],
    ['--shift', 'nope=3'],
    ['--move-feed', 'server-1=PDU-9'],
  ]) {
    const { code, err } = await faultline('correlate', path, ...wrong);
    expect([wrong, code]).toEqual([wrong, 1]);
    expect(err.trim().split('\n').length).toBe(2);
  }
});

test('own mechanisms: written, checked, and their path is printed', async () => {
  const home = await temporaryFolder();
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [cli, 'mechanisms', ...args], {
      encoding: 'utf8',
      env: { ...process.env, FAULTLINE_HOME: home },
    });
    return { code: status, out: stdout, err: stderr };
  };
  const path = join(home, 'mechanisms.yaml');
  expect(run('--edit-path')).toEqual({ code: 0, out: `${path}\n`, err: '' });
  expect(run().out).toContain('the bundled mechanisms');
  expect(run('--init')).toMatchObject({ code: 0, out: `${path}\n` });
  expect(run('--check')).toEqual({ code: 0, out: `in use: ${path}\n`, err: '' });
  expect(run('--init')).toMatchObject({ code: 1, err: expect.stringContaining('already exists') });
  const text = await readFile(path, 'utf8');
  await writeFile(path, text.replace('version: 2', 'version: 3').replace('strength: 0.8', 'strength: strong'));
  const wrong = run('--check');
  expect(wrong.code).toBe(1);
  expect(wrong.err).toMatch(/mechanisms\.yaml:\d+: version: /);
  expect(wrong.err).toMatch(/mechanisms\.yaml:\d+: harms\.\w+\.strength: /);
  expect(run('--check', '--init').code).toBe(2);
});

test('traces: a table for people, JSON for scripts, and a mark below the character that is wrong', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'traces.faultline');
  const spans = [
    { trace: 'A', id: 'a', name: 'HTTP GET', service: 'api', kind: 2, from: 0, to: 600 },
    { trace: 'A', id: 'b', parent: 'a', name: 'orders.find', service: 'api', from: 10, to: 90, failed: 'timeout' },
    { trace: 'B', id: 'c', name: 'HTTP GET', service: 'api', kind: 2, from: 5000, to: 5100 },
  ];
  await faultline('import', path, await write(folder, 'spans.json', otlpOf(spans)));
  const table = await faultline('traces', path, '{ kind = server }');
  expect(table.out).toContain('2 spans in 2 traces');
  expect(table.out.split('\n')[1]).toMatch(/600\.000 +2 +1 +1 +600\.000 +api: HTTP GET$/);
  const { code, out } = await faultline('traces', path, '{ status = error }', '--json');
  expect([code, JSON.parse(out)]).toMatchObject([
    0,
    { trace_count: 1, span_count: 1, traces: [{ trace_id: traceIdOf('A'), matched: 1, start_ns: String(atMs(0)) }] },
  ]);
  expect((await faultline('traces', path, '{}', '--from', '2026-01-01T00:00:01Z')).out).toContain(
    '1 spans in 1 traces',
  );
  expect((await faultline('traces', path, '{}', '--limit', '1')).err).toContain('1 of 2 traces shown');
  const wrong = await faultline('traces', path, '{ nmae = "a" }');
  expect([wrong.code, wrong.out]).toEqual([1, '']);
  expect(wrong.err.split('\n').slice(1, 3)).toEqual(['  { nmae = "a" }', '    ^']);
  expect((await faultline('traces', path)).code).toBe(2);
  expect((await faultline('traces', path, '{}', '--limit', '0')).code).toBe(2);
});

test('patterns are printed as text and as JSON; an unknown one is one line with the names', async () => {
  const folder = await temporaryFolder();
  const files = await incident(folder);
  const path = join(folder, 'case.faultline');
  await faultline('import', path, files.events, files.traces, files.topology);
  const patternsOutput = await faultline('patterns', path);
  expect(patternsOutput.code).toBe(0);
  expect(patternsOutput.out).toMatch(/^HIGH {2}Power feed sag with failover \(feed-failover\), partial$/m);
  expect(patternsOutput.out).toMatch(/^ {2}evidence {2}PDU-B: .*\[event:\d+\]$/m);
  expect(patternsOutput.out).toMatch(/^ {2}missing {3}server: no PSU data of server-2/m);
  expect(patternsOutput.out).toMatch(/^ {2}to do {5}Ask facilities/m);
  const { findings, looked_for } = JSON.parse((await faultline('patterns', path, '--json')).out) as {
    findings: { pattern: string; start_ns: string }[];
    looked_for: string[];
  };
  expect(findings.map(({ pattern }) => pattern)).toContain('feed-failover');
  expect(findings[0]?.start_ns).toMatch(/^\d{19}$/);
  expect(looked_for.length).toBeGreaterThan(30);
  expect((await faultline('patterns', path, '--pattern', 'gsp-timeout')).out).toBe(
    'no pattern found: 1 pattern checked\n',
  );
  const unknown = await faultline('patterns', path, '--pattern', 'nonsense');
  expect([unknown.code, unknown.out]).toEqual([1, '']);
  expect(unknown.err).toMatch(/there is no pattern nonsense\n.*one of mains-outage/);
  expect((await faultline('patterns')).code).toBe(2);
});
