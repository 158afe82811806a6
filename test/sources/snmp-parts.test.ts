import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { snmpWalk } from '../../src/main/sources/snmp-walk/index.ts';
import { captureWhile, isState, sqlRows } from '../support/capture-run.ts';
import { type Reading, readSource } from '../support/read-source.ts';
import { agentOn, INTEGER, OBJECT_ID, ObjectTable, OCTETS, type Value } from '../support/snmp-agent.ts';

const T = '1.3.6.1.2.1.47.1.1.1.1';
const stack = readFileSync(join(import.meta.dirname, '../../fixtures/snmp-walk/stack-entity.snmprec'), 'utf8');
const partsOf = ({ rows }: Reading) =>
  rows.edge
    .filter(({ provenance }) => provenance === 'snmp entity')
    .map(({ from_entity, kind, to_entity }) => `${from_entity} ${kind} ${to_entity}`);

const PARTS = [
  'switch:leaf-4 contains switch:leaf-4/switch-2',
  'switch:leaf-4 contains psu:leaf-4/psu-PS-A',
  'switch:leaf-4/switch-2 contains psu:leaf-4/switch-2/psu-PS-A',
];

describe('what a device consists of, by ENTITY-MIB', () => {
  test('members of a stack and their power supplies, under their serial numbers', async () => {
    const reading = await readSource(snmpWalk, stack, { name: 'stack.snmprec' });
    expect(partsOf(reading)).toEqual(PARTS);
    expect(reading.entities.get('switch:leaf-4/switch-2')?.aliases).toEqual(['asset_tag=FOC2']);
    expect(reading.entities.get('psu:leaf-4/switch-2/psu-PS-A')?.aliases).toEqual(['asset_tag=LIT2']);
  });

  test('a stack of one, circles, and parts in nothing make nothing up', async () => {
    const odd = stack
      .split('\n')
      // The second member is gone; its supply names itself as its container.
      .filter((line) => !/\.47\.1\.1\.1\.1\.\d+\.20\|/.test(line))
      .map((line) => (line.startsWith(`${T}.4.21|`) ? `${T}.4.21|2|21` : line));
    expect(partsOf(await readSource(snmpWalk, odd.join('\n'), { name: 'x.snmprec' }))).toEqual([
      'switch:leaf-4 contains psu:leaf-4/psu-PS-A',
      'switch:leaf-4 contains psu:leaf-4/psu-PS-A',
    ]);
  });

  test("supplies from the vendor's own table are not written twice", async () => {
    const both = `${stack}1.3.6.1.4.1.9.9.13.1.5.1.2.1006|4|Sw1, PS1\n1.3.6.1.4.1.9.9.13.1.5.1.3.1006|2|1\n`;
    const reading = await readSource(snmpWalk, both, { name: 'x.snmprec' });
    expect(partsOf(reading)).toEqual(PARTS.slice(0, 1));
    expect([...reading.entities.keys()].filter((key) => key.startsWith('psu:'))).toHaveLength(1);
  });

  test('live, a member is a proposal and a supply is a part', async () => {
    const tags: Readonly<Record<string, number>> = { 2: INTEGER, 4: OCTETS, 6: OBJECT_ID };
    const values = stack
      .trimEnd()
      .split('\n')
      .map((line): [string, () => Value] => {
        const [oid = '', tag = '', text = ''] = line.split('|');
        const value = tag === '2' ? Math.max(0, Number(text)) : text;
        return [oid, () => ({ tag: tags[tag] ?? OCTETS, value })];
      });
    const table = new ObjectTable(new Map(values));
    const { port, close } = await agentOn((request, reply) => reply(table.answer(request)));
    onTestFinished(close);
    const { core } = await captureWhile(`feeds: [{kind: snmp, host: 127.0.0.1, port: ${port}}]`, async (until) => {
      await until(isState('up'));
      await until((event) => event.kind === 'written' && event.rows > 0);
    });
    const rows = await sqlRows(
      core,
      "select to_kind, to_id, standing, provenance from topology where provenance = 'snmp entity' order by to_id",
    );
    expect(rows).toEqual([
      ['psu', 'leaf-4/psu-PS-A', 'recorded', 'snmp entity'],
      ['switch', 'leaf-4/switch-2', 'proposed', 'snmp entity'],
      ['psu', 'leaf-4/switch-2/psu-PS-A', 'recorded', 'snmp entity'],
    ]);
  });
});
