import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readLogText } from '../../src/main/sources/log-events/read-log-text.ts';
import { memoryCore, temporaryFolder } from '../support/core.ts';

/** Wordings of vendors' message guides, one device's beside another's. */
const stated: readonly (readonly [line: string, type: string, port?: string])[] = [
  ['%LINEPROTO-5-UPDOWN: Line protocol on Interface Ethernet3/1, changed state to down', 'link_down', 'Ethernet3/1'],
  ['%LINK-3-UPDOWN: Interface TenGigabitEthernet1/0/7, changed state to up', 'link_up', 'TenGigabitEthernet1/0/7'],
  ['%ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/3 is down (Link failure)', 'link_down', 'Ethernet1/3'],
  ['%ETHPORT-5-IF_UP: Interface Ethernet1/9 is up in mode access', 'link_up', 'Ethernet1/9'],
  ['%PKT_INFRA-LINK-3-UPDOWN : Interface HundredGigE0/0/0/4, changed state to Down', 'link_down', 'HundredGigE0/0/0/4'],
  [
    'SNMP_TRAP_LINK_DOWN: ifIndex 531, ifAdminStatus up(1), ifOperStatus down(2), ifName et-0/0/12',
    'link_down',
    'et-0/0/12',
  ],
  ['SNMP_TRAP_LINK_UP: ifIndex 531, ifAdminStatus up(1), ifOperStatus up(1), ifName et-0/0/12', 'link_up', 'et-0/0/12'],
  [':- updatePortOperStatus: Port Ethernet17 oper state set from up to down', 'link_down', 'Ethernet17'],
  [':- updatePortOperStatus: Port Ethernet17 oper state set from down to up', 'link_up', 'Ethernet17'],
  [':- onMsg: Publish Ethernet48(ok:down) to state db', 'link_down', 'Ethernet48'],
  ['[interface.NOTICE]: Interface Eth1/5 changed state to DOWN', 'link_down', 'Eth1/5'],
  [
    '%Node.1-Unit.1:PRI [event], Dell (OS10) %IFM_OSTATE_DN: Interface operational state is down :ethernet1/1/4',
    'link_down',
    'ethernet1/1/4',
  ],
  ['%ETHPORT-3-IF_DOWN_LINK_FLAP: Interface Ethernet1/2 is down: link flap error disabled', 'link_flap', 'Ethernet1/2'],
  // Whole devices.
  ['%SYS-5-RESTART: System restarted --', 'switch_reboot'],
  ['%SYS-5-SYSTEM_RESTARTED: System restarted', 'switch_reboot'],
  ['%SYS-5-RELOAD: Reload requested by admin on vty0. Reload Reason: upgrade.', 'switch_reboot'],
  ['%PLATFORM-2-LINECARD_FAILED: Line card in slot 3 failed, powered down', 'switch_failed'],
  [':- main: ASIC does not respond, SAI failure, shut down requested', 'switch_failed'],
  ['fpc3 PFE 1 fatal error, ASIC unresponsive', 'switch_failed'],
  // Storms of pause frames.
  [
    ':- startWdActionOnQueue: PFC Watchdog detected PFC storm on port Ethernet16, queue index 3, queue id 0x15',
    'network_congestion',
    'Ethernet16',
  ],
  [
    ':- report_pfc_storm: PFC Watchdog storm restored on port Ethernet16, queue index 3',
    'congestion_ended',
    'Ethernet16',
  ],
  ['%PFC-3-WATCHDOG_STUCK_QUEUE: PFC watchdog: queue 3 of Ethernet12/1 is stuck', 'network_congestion', 'Ethernet12/1'],
  [
    '%PFC-5-WATCHDOG_QUEUE_RECOVERED: PFC watchdog: queue 3 of Ethernet12/1 is stuck no longer',
    'congestion_ended',
    'Ethernet12/1',
  ],
  ['fpc0 PFC pause storm detected on interface et-0/0/5 queue 3', 'network_congestion', 'et-0/0/5'],
  ['fpc0 PFC pause storm recovered on interface et-0/0/5 queue 3', 'congestion_ended', 'et-0/0/5'],
  // Queues, buffers, drops, marks.
  [
    '%QUEUE_MONITOR-6-LENGTH_OVER_THRESHOLD: Interface Ethernet6 queue length is over threshold of 512, current length is 1184',
    'network_congestion',
    'Ethernet6',
  ],
  [
    '%QUEUE_MONITOR-6-LENGTH_UNDER_THRESHOLD: Interface Ethernet6 queue length is under threshold of 512',
    'congestion_ended',
    'Ethernet6',
  ],
  [
    '%TAHUSD-SLOT1-4-BUFFER_THRESHOLD_EXCEEDED: Module 1 Instance 0 Pool-group buffer 90 percent threshold is exceeded!',
    'network_congestion',
  ],
  [
    'QOSE/4/BUFFEROVERTHRESHOLD: The buffer of port 100GE1/0/1 is overthreshold. (PeakBuffer=91)',
    'network_congestion',
    '100GE1/0/1',
  ],
  ['congestion detected on port swp12, traffic class 3, buffer occupancy 812 kB', 'network_congestion', 'swp12'],
  ['[buffer.WARNING]: Eth1/7: egress queue 3 discards exceed 1000 per second', 'network_congestion', 'Eth1/7'],
  ['et-0/0/9: tail drops increasing, 41200 packets dropped in queue 4', 'network_congestion', 'et-0/0/9'],
  ['%QOS-4-ECN: ECN marked packets above threshold on Ethernet1/31', 'network_congestion', 'Ethernet1/31'],
  // Light and errors.
  ['%ETHPORT-3-IF_SFP_ALARM: Interface Ethernet1/1, Low Rx Power Alarm', 'link_degraded', 'Ethernet1/1'],
  ['%ETHPORT-5-IF_SFP_ALARM_CLEAR: Interface Ethernet1/1, Low Rx Power Alarm cleared', 'link_recovered', 'Ethernet1/1'],
  ['xcvr: et-0/0/3 lane 0 Rx power low alarm set', 'link_degraded', 'et-0/0/3'],
  ['%PHY-4-ERRORS: Excessive symbol errors on Ethernet5/1', 'link_degraded', 'Ethernet5/1'],
];

test.each(stated.map(([line, type, port]) => ({ line, type, port })))('$line', ({ line, type, port }) => {
  const event = readLogText(line, 'program');
  expect(event?.type).toBe(type);
  expect(event?.subject).toEqual(port === undefined ? { kind: 'machine' } : { kind: 'port', name: port });
  expect(readLogText(line, 'unknown')).toEqual(event);
});

test.each([
  'PFC watchdog enabled on port Ethernet16, polling interval 200 ms, storm restoration 400 ms',
  '%SYS-5-CONFIG_I: Configured from console by admin on vty0 (10.0.0.9)',
  '%BGP-5-ADJCHANGE: neighbor 10.0.0.1 (Ethernet1/1) Down BGP Notification sent',
  '%OSPF-5-ADJCHG: Process 1, Nbr 10.1.1.1 on Ethernet1/2 from FULL to DOWN, Neighbor Down: Dead timer expired',
  '%QUEUE_MONITOR-5-CONFIG: queue length threshold of Ethernet6 set to 512',
  'show queue statistics interface Ethernet1/1: discards 0, high watermark 12',
  'request queue length is over threshold of 512',
  'the buffer is full: 12 spans dropped in queue',
  'GET /ports/8443 link is down',
  'power supply 1 is back to normal',
  'user bob shut link down page',
  'Interface description of Ethernet1/3 changed',
])('nothing happened: %s', (line) => {
  expect(readLogText(line, 'program')).toBeUndefined();
  expect(readLogText(line, 'unknown')).toBeUndefined();
});

test('a switch that writes syslog: its port is contained in it, a storm lasts until it is restored', async () => {
  const core = await memoryCore();
  const path = join(await temporaryFolder(), 'messages.log');
  await writeFile(
    path,
    [
      'Apr 27 17:42:49 leaf-r01 swss#orchagent: :- startWdActionOnQueue: PFC Watchdog detected PFC storm on port Ethernet16, queue index 3, queue id 0x15',
      'Apr 27 17:47:57 leaf-r01 swss#orchagent: :- ~PfcWdActionHandler: PFC Watchdog storm restored on port Ethernet16, queue index 3, queue id 0x15',
      'Apr 27 17:48:12 tor-r02 %ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet9 is down (Link failure)',
      'Apr 27 17:48:20 stor-0107 sshd[72060]: Accepted publickey for monitor from 10.0.9.57 port 30553 ssh2',
      '',
    ].join('\n'),
  );
  await core.import([path]);
  const { rows } = await core.api['query.sql']({
    sql: 'select entity_kind, device_id, type from events order by time_ns',
  });
  expect(rows).toEqual([
    ['port', 'leaf-r01/Ethernet16', 'network_congestion'],
    ['port', 'leaf-r01/Ethernet16', 'congestion_ended'],
    ['port', 'tor-r02/Ethernet9', 'link_down'],
  ]);
});
