import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { faultline, start } from '../support/command-line.ts';
import { temporaryFolder } from '../support/core.ts';
import { event, service, topology } from '../support/scenario.ts';

test('commands that only read answer while a window has the case open, and leave it as it is', async () => {
  const folder = await temporaryFolder();
  const path = join(folder, 'open.faultline');
  const documents = {
    'events.json': { events: [event('e1', 690, 'pdu_snmp', 'voltage_sag', 'PDU-B')] },
    'traces.json': { service_metrics: service('inference') },
    'topology.json': topology,
  };
  const files = Object.entries(documents).map(
    ([name, content]) => [join(folder, name), JSON.stringify(content)] as const,
  );
  for (const [file, text] of files) await writeFile(file, text);
  expect((await faultline('import', path, ...files.map(([file]) => file))).code).toBe(0);

  const alone = await faultline('correlate', path, '--json');
  expect(alone.err).toBe('');
  const server = start('serve', path);
  try {
    await once(server.stdout!, 'data');
    const beside = await faultline('correlate', path, '--json');
    expect(beside).toMatchObject({ code: 0, err: expect.stringContaining('open in another Faultline') });
    const incidents = (text: string) => (JSON.parse(text) as { report: { incidents: unknown[] } }).report.incidents;
    expect(incidents(alone.out)).toHaveLength(1);
    expect(incidents(beside.out)).toEqual(incidents(alone.out));
    expect((await faultline('report', path)).out).toContain('Post-mortem: open');
    expect(await faultline('query', path, 'select count(*) as n from event')).toMatchObject({ code: 0 });

    // To change it, it has to be closed there.
    const accept = await faultline('topology', path, '--accept', 'all');
    expect(accept).toMatchObject({ code: 1, err: expect.stringContaining('this case is open in another Faultline') });
  } finally {
    server.kill('SIGINT');
    await once(server, 'close');
  }
});
