import { isPortName } from '../../log-events/port-name.ts';
import { type Reading, reading } from '../../nvidia/reading.ts';
import { firstOf, serverSubject } from '../naming.ts';
import type { Naming, Surroundings } from '../scraped.ts';
import { deviceSubject } from './device-subject.ts';
import type { Exported, Exporter, Row } from './exporter.ts';

const receive = { direction: 'receive' } as const;
const transmit = { direction: 'transmit' } as const;
const discards = (side: Reading['attributes']): Reading => reading('hw.network.discards', '{packet}', side);
const pause = (side: Reading['attributes'], protocol = '802.3x'): Reading =>
  reading('hw.network.pause', '{frame}', { ...side, protocol });
const errors = (type: string, side?: Reading['attributes']): Reading =>
  reading('hw.errors', '{error}', { 'hw.type': 'network', 'error.type': type, ...side });
const marked = (side?: Reading['attributes']): Reading => reading('hw.network.ecn_marked', '{packet}', side);

/** RFC 2863 ifOperStatus: up 1, down 2, lower layer down 7; testing, dormant and absent ports are neither. */
const operational: Reading = {
  ...reading('hw.link.state', '1'),
  value: (code) => (code === 1 ? 1 : code === 2 || code === 7 ? 0 : undefined),
};

/** IF-MIB, EtherLike-MIB (RFC 3635) and CISCO-PFC-EXT-MIB. */
const mib: Readonly<Record<string, Reading>> = {
  ifOperStatus: operational,
  ifInDiscards: discards(receive),
  ifOutDiscards: discards(transmit),
  ifInErrors: errors('all', receive),
  ifOutErrors: errors('all', transmit),
  ifInPauseFrames: pause(receive),
  ifOutPauseFrames: pause(transmit),
  dot3InPauseFrames: pause(receive),
  dot3OutPauseFrames: pause(transmit),
  dot3HCInPauseFrames: pause(receive),
  dot3HCOutPauseFrames: pause(transmit),
  dot3StatsFCSErrors: errors('fcs', receive),
  dot3StatsSymbolErrors: errors('symbol', receive),
  dot3StatsAlignmentErrors: errors('alignment', receive),
  cpfcIfRequests: pause(transmit, 'pfc'),
  cpfcIfIndications: pause(receive, 'pfc'),
};

/** `openconfig-interfaces`, by the last part of the path; `if-ethernet` for pause and symbol errors. */
const openconfig: Readonly<Record<string, Reading>> = {
  counters_in_discards: discards(receive),
  counters_out_discards: discards(transmit),
  counters_in_errors: errors('all', receive),
  counters_out_errors: errors('all', transmit),
  counters_in_fcs_errors: errors('fcs', receive),
  counters_in_crc_errors: errors('crc', receive),
  counters_in_symbol_error: errors('symbol', receive),
  counters_in_mac_pause_frames: pause(receive),
  counters_out_mac_pause_frames: pause(transmit),
  counters_in_pfc_frames: pause(receive, 'pfc'),
  counters_out_pfc_frames: pause(transmit, 'pfc'),
  counters_ecn_marked_packets: marked(),
  counters_ecn_marked_pkts: marked(),
  state_dropped_pkts: discards(transmit),
  state_ecn_marked_pkts: marked(transmit),
};

/** node_exporter 1.9 `netclass`, `netdev`, `infiniband` and `ethtool`, which has each driver's names; Telegraf's `net` and `ethtool`. */
const hostNames: Readonly<Record<string, Reading>> = {
  node_network_carrier: reading('hw.link.state', '1'),
  node_network_receive_drop_total: discards(receive),
  node_network_transmit_drop_total: discards(transmit),
  node_network_receive_errs_total: errors('all', receive),
  node_network_transmit_errs_total: errors('all', transmit),
  node_network_receive_frame_total: errors('alignment', receive),
  node_ethtool_rx_pause_frames: pause(receive),
  node_ethtool_tx_pause_frames: pause(transmit),
  node_ethtool_rx_crc_errors_phy: errors('crc', receive),
  node_ethtool_rx_symbol_err_phy: errors('symbol', receive),
  node_ethtool_rx_discards_phy: discards(receive),
  node_ethtool_tx_discards_phy: discards(transmit),
  node_infiniband_symbol_error_total: errors('symbol', receive),
  node_infiniband_port_receive_errors_total: errors('all', receive),
  node_infiniband_port_discards_transmitted_total: discards(transmit),
  net_drop_in: discards(receive),
  net_drop_out: discards(transmit),
  net_err_in: errors('all', receive),
  net_err_out: errors('all', transmit),
};
/** Drivers number their priorities: `rx_prio3_pause`, `rx_pfc_frames_3`, `np_ecn_marked_roce_packets`. */
const driverNames: readonly (readonly [RegExp, (side: Reading['attributes']) => Reading])[] = [
  [/^(?:node_)?ethtool_(rx|tx)_prio\d_pause(?:_frames)?$/, (side) => pause(side, 'pfc')],
  [/^(?:node_)?ethtool_(rx|tx)_(?:pfc|priority)_?(?:frames|pause)(?:_\d|_pri\d)?$/, (side) => pause(side, 'pfc')],
  [/^(?:node_)?ethtool_(rx|tx)_pause_ctrl_phy$/, (side) => pause(side)],
  [
    /^(?:node_)?(?:ethtool|infiniband)_(rx|np|tx)_?ecn_mark(?:ed)?(?:_roce_packets)?(?:_total)?$/,
    (side) => marked(side),
  ],
];

const bareName = (name: string): string => name.replace(/_total$/, '');
const isHostName = (name: string): boolean => /^(?:node_|ethtool_|net_)/.test(name);

function readingOf(name: string): Reading | undefined {
  const own = (table: Readonly<Record<string, Reading>>, key: string) =>
    Object.hasOwn(table, key) ? table[key] : undefined;
  const host = own(hostNames, name) ?? own(hostNames, `${name}_total`);
  if (host) return host;
  if (isHostName(name)) {
    for (const [pattern, make] of driverNames) {
      const side = pattern.exec(bareName(name))?.[1];
      if (side !== undefined) return make(side === 'tx' ? transmit : receive);
    }
    return undefined;
  }
  const object = own(mib, /(?:^|_)([a-z]+\d?[A-Z]\w*?)$/.exec(bareName(name))?.[1] ?? '');
  if (object) return object;
  // `/interfaces/interface/state/counters/in-discards` and what gnmic and Telegraf make of it.
  const leaf = /(?:^|_)(?:interface|ifcounters|queue)\w{0,80}_((?:counters|state)_[a-z_]{3,40})$/.exec(bareName(name));
  return leaf ? own(openconfig, leaf[1]!) : undefined;
}

/** Ends of virtual links: one for each container, and none is a card of the machine. */
const VIRTUAL =
  /^(?:lo|veth|cali|cni|cilium|flannel|docker|br-|virbr|tun|tap|vxlan|lxc|kube-|dummy|ovs|genev|nodelocaldns|vnet)/;

const PORT_LABELS = ['ifName', 'ifDescr', 'interface_name', 'interface', 'name', 'device', 'ifIndex'] as const;

/** A port of the device that was polled; of a host's exporter the network card of the machine. */
function namingOf({ name, labels }: Exported, surroundings: Surroundings): Naming {
  const isHost = isHostName(name);
  const port = firstOf(labels, ...PORT_LABELS).slice(0, 200);
  const kind = isHost ? 'server' : isPortName(port) ? 'switch' : 'device';
  const device = deviceSubject(kind, labels, surroundings);
  if (port === '' || device.subject.id === '' || (isHost && VIRTUAL.test(port))) return device;
  const id = /^\d+$/.test(port) ? `port-${port}` : port;
  const from = isHost && device.subject.kind === 'server' ? serverSubject(device.subject.id) : device.subject;
  const subject = { kind: isHost ? 'nic' : 'port', id: `${from.id}/${id}` } as const;
  return {
    subject,
    relations: [{ from, kind: 'contains', to: subject }],
    used: new Set([...device.used, ...PORT_LABELS]),
  };
}

const rows: Readonly<Record<string, Row>> = { ...mib, ...hostNames };

/** Counters and states of network ports. */
export const interfaces: Exporter = {
  title: 'network ports (IF-MIB, EtherLike-MIB, OpenConfig, node_exporter 1.9, Telegraf 1.3x)',
  names: Object.keys(rows),
  owns: (name) => name.length <= 300 && readingOf(name) !== undefined,
  reading: ({ name }) => readingOf(name),
  naming: namingOf,
};
