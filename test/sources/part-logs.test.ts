import { describe, expect, test } from 'vitest';
import { readLogText } from '../../src/main/sources/log-events/read-log-text.ts';

describe('network storage', () => {
  test.each([
    ['nfs: server filer-1 not responding, still trying', 'storage_not_responding'],
    ['nfs: server filer-1 OK', 'storage_restored'],
    [
      'Lustre: scratch-OST0003-osc: Connection to scratch-OST0003 (at 10.0.0.4@o2ib) was lost; in progress operations using this service will wait for recovery to complete',
      'storage_not_responding',
    ],
    ['Lustre: scratch-OST0003-osc: Connection restored to scratch-OST0003 (at 10.0.0.4@o2ib)', 'storage_restored'],
    ['LustreError: 11-0: Request sent has timed out for slow reply: [sent 1700000000]', 'storage_not_responding'],
    [
      'cluster [WRN] Health check failed: 12 slow ops, oldest one blocked for 41 sec, osd.7 has slow ops (SLOW_OPS)',
      'storage_not_responding',
    ],
    [
      'cluster [INF] Health check cleared: SLOW_OPS (was: 12 slow ops, oldest one blocked for 41 sec)',
      'storage_restored',
    ],
    ['libceph: osd3 (1)10.0.0.5:6801 socket closed (con state OPEN)', 'storage_not_responding'],
    ['ceph: mds0 hung', 'storage_not_responding'],
    ['mmfs: [W] Long waiter found: 301 seconds, RPC wait', 'storage_not_responding'],
    ['wekafs: IO is stuck for 60 seconds on node 12', 'storage_not_responding'],
    ['beegfs-client: Communication error: Receive timed out from: storage-2', 'storage_not_responding'],
    ['multipathd: mpatha: remaining active paths: 0', 'storage_not_responding'],
  ])('%s', (line, type) => {
    for (const writer of ['kernel', 'unknown', 'program'] as const) expect(readLogText(line, writer)?.type).toBe(type);
  });

  test.each([
    'slow requests of users are sampled',
    'Lustre: Mounted scratch-client',
    'libceph: client4123 fsid 1-2-3',
    'mmfs: [N] node joined',
    'weka agent version 4.2 started',
  ])('nothing happened: %s', (line) => expect(readLogText(line, 'unknown')).toBeUndefined());
});

describe('drives, network cards, memory', () => {
  test.each([
    ['md/raid:md127: Disk failure on sdk1, disabling device.', 'drive_failure', { kind: 'machine' }],
    ['nvme nvme2: Device not ready; aborting reset, CSTS=0x1', 'drive_failure', { kind: 'machine' }],
    ['NETDEV WATCHDOG: ens3f0 (ice): transmit queue 12 timed out', 'link_degraded', { kind: 'nic', name: 'ens3f0' }],
    [
      "mlx5_core 0000:5e:00.0: poll_health:800:(pid 0): device's health compromised - reached miss count",
      'link_down',
      { kind: 'device', pci: '0000:5e:00' },
    ],
    [
      'mlx5_core 0000:5e:00.1 ens5f1np1: Port module event[error]: module 1, Cable error, Bad or unsupported cable',
      'link_degraded',
      { kind: 'nic', name: 'ens5f1np1' },
    ],
    ['infiniband mlx5_3: Port: 1 Link DOWN', 'link_down', { kind: 'nic', name: 'mlx5_3' }],
    ['mlxsw_spectrum 0000:03:00.0: Bus error, ASIC does not respond', 'host_degradation', { kind: 'machine' }],
    ['habanalabs 0000:19:00.0: device is not responding', 'host_degradation', { kind: 'machine' }],
    ['Memory failure: 0x12345: recovery action for dirty LRU page: Failed', 'memory_error', { kind: 'machine' }],
  ])('the kernel: %s', (line, type, subject) => {
    expect(readLogText(line, 'kernel')).toMatchObject({ type, subject });
    expect(readLogText(line, 'program')).toBeUndefined();
  });

  test.each([
    ['Device: /dev/sda [SAT], FAILED SMART self-check. BACK UP DATA NOW!', 'drive_failure'],
    ['Device: /dev/sdb [SAT], 8 Currently unreadable (pending) sectors', 'drive_failure'],
    ['detected NVSwitch non-fatal error 11001 on fid 0 on NVSwitch pci bus id 00000000:85:00.0', 'nvswitch_error'],
  ])('a daemon: %s', (line, type) => expect(readLogText(line, 'program')?.type).toBe(type));

  test.each([
    'Device: /dev/sda [SAT], SMART Usage Attribute: 194 Temperature_Celsius changed from 64 to 63',
    'mlxsw_spectrum 0000:03:00.0: module 7 inserted',
    'mlx5_core 0000:5e:00.0: device did not respond to a probe, corrected',
    'nvme nvme0: 32/0/0 default/read/poll queues',
    'mlx5_core 0000:5e:00.0: firmware version: 28.39.1002',
    'mlx5_core 0000:5e:00.1 ens5f1np1: Port module event: module 1, Cable plugged',
  ])('nothing happened: %s', (line) => expect(readLogText(line, 'kernel')).toBeUndefined());
});
