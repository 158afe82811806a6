import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { snmpWalk } from '../../src/main/sources/snmp-walk/index.ts';
import { type Reading, readSource } from '../support/read-source.ts';

const R = '1.0.8802.1.1.2.1.4.1.1';
const edgesOf = ({ rows }: Reading) =>
  rows.edge.map(
    ({ from_entity, kind, to_entity, provenance }) => `${from_entity} ${kind} ${to_entity} (${provenance})`,
  );

const leaf = readFileSync(join(import.meta.dirname, '../../fixtures/snmp-walk/leaf-lldp.snmprec'), 'utf8');

describe('neighbours found by LLDP', () => {
  test('are linked port by port, with where that comes from', async () => {
    const reading = await readSource(snmpWalk, leaf, { name: 'leaf.snmprec' });
    expect(edgesOf(reading).filter((edge) => edge.includes('lldp'))).toEqual([
      'switch:leaf-3 contains port:leaf-3/Ethernet49/1 (lldp)',
      'switch:leaf-3 connects device:spine-1 (lldp)',
      'device:spine-1 contains port:spine-1/Ethernet3/1 (lldp)',
      'port:leaf-3/Ethernet49/1 connects port:spine-1/Ethernet3/1 (lldp)',
      'switch:leaf-3 contains port:leaf-3/Ethernet1 (lldp)',
      'switch:leaf-3 connects server:node-3 (lldp)',
      'server:node-3 contains nic:node-3/eth0 (lldp)',
      'port:leaf-3/Ethernet1 connects nic:node-3/eth0 (lldp)',
      'switch:leaf-3 contains port:leaf-3/port-2 (lldp)',
      'switch:leaf-3 connects device:02 03 04 05 06 07 (lldp)',
      'device:02 03 04 05 06 07 contains port:02 03 04 05 06 07/p1 (lldp)',
      'port:leaf-3/port-2 connects port:02 03 04 05 06 07/p1 (lldp)',
    ]);
    expect(reading.entities.get('server:node-3')?.aliases).toEqual(['host_name=node-3', 'ip_address=10.0.0.33']);
    expect(reading.rows.reject).toEqual([]);
  });

  test('mean the same in a walk that was written with names', async () => {
    const text = [
      'SNMPv2-MIB::sysName.0 = STRING: leaf-3',
      'POWER-ETHERNET-MIB::pethPsePortAdminEnable.1.1 = INTEGER: true(1)',
      'LLDP-MIB::lldpLocPortIdSubtype.1 = INTEGER: interfaceName(5)',
      'LLDP-MIB::lldpLocPortId.1 = STRING: "Ethernet1"',
      'LLDP-MIB::lldpRemChassisId.200.1.2 = Hex-STRING: B8 CE F6 01 02 03',
      'LLDP-MIB::lldpRemPortIdSubtype.200.1.2 = INTEGER: interfaceName(5)',
      'LLDP-MIB::lldpRemPortId.200.1.2 = STRING: "eth0"',
      'LLDP-MIB::lldpRemSysName.200.1.2 = STRING: "node-3"',
      'LLDP-MIB::lldpRemSysCapEnabled.200.1.2 = Hex-STRING: 01 00',
    ].join('\n');
    const reading = await readSource(snmpWalk, text, { name: 'leaf.walk' });
    expect(edgesOf(reading)).toContain('port:leaf-3/Ethernet1 connects nic:node-3/eth0 (lldp)');
  });

  test('broken tables and factory names make no links up', async () => {
    const odd = [
      '1.3.6.1.2.1.1.5.0|4|leaf-3',
      `${R}.5.1.1|4|short index`,
      `${R}.5.1.2.3.4|4|long index`,
      `${R}.5.1.2.3|4|`,
      `${R}.9.1.2.3|4|localhost`,
      `${R}.9.9.9.9|4|without-chassis`,
    ];
    expect(edgesOf(await readSource(snmpWalk, odd.join('\n'), { name: 'x.snmprec' }))).toEqual([]);
  });
});
