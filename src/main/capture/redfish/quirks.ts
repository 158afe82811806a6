import { type Json, objectOf, textOf } from '../../sources/redfish/format.ts';

/** Deviations of a vendor's controllers, with the source of that knowledge. */
export interface Quirks {
  /** Event types that a subscription must name: older services require them, newer ones refuse them. */
  readonly eventTypes: readonly string[] | null;
  /** Filter of the event stream: without one, some services send metric reports or nothing. */
  readonly streamFilter: string | null;
  /** Seconds to wait before a stream that ended is reopened. */
  readonly streamRest_s: number;
}

const noQuirks: Quirks = { eventTypes: null, streamFilter: null, streamRest_s: 5 };

interface Maker {
  readonly maker: string;
  readonly is: RegExp;
  readonly quirks: Partial<Quirks>;
  readonly source: string;
}

/** The first match of the root's vendor, product and names under `Oem` counts. */
const makers: readonly Maker[] = [
  {
    maker: 'Dell iDRAC',
    is: /\bdell\b|idrac/i,
    quirks: { streamFilter: 'EventFormatType eq Event', streamRest_s: 30 },
    source:
      'iDRAC9 Redfish API Guide 4.20, Server-Sent Events (a stream that closed: wait 20 to 30 seconds); Manage iDRAC alerts by Redfish Eventing, 2.3.2 (filter)',
  },
  {
    maker: 'HPE iLO',
    is: /\bhpe?\b|ilo\b|hewlett/i,
    quirks: { eventTypes: ['Alert', 'StatusChange', 'ResourceAdded', 'ResourceRemoved', 'ResourceUpdated'] },
    source:
      'HPE server management portal, iLO event services (iLO 5 needs EventTypes); DMTF/Redfish-Tacklebox issue 89',
  },
  {
    maker: 'NVIDIA HGX and GB',
    is: /nvidia|\bhgx\b|\bgb ?[23]00\b|gb nvl/i,
    // Older machines that other vendors sell differ.
    quirks: {},
    source:
      'recorded GB300 NVL: expands six levels, streams events and metric reports, metric reports of the baseboard',
  },
  {
    maker: 'Supermicro',
    is: /supermicro|\bsmci?\b/i,
    quirks: { eventTypes: ['Alert', 'StatusChange'] },
    source: 'Supermicro Redfish reference guide, Event Service (EventTypes among the members of a subscription)',
  },
];

/** Quirks of a service, from its root. The service's own statements override its vendor's. */
export function quirksOf(root: Json): Quirks {
  const names = [root['Vendor'], root['Product'], root['Name']].map(textOf);
  const vendorText = [...names, ...Object.keys(objectOf(root['Oem']))].join(' ');
  const found = makers.find(({ is }) => is.test(vendorText));
  return { ...noQuirks, ...found?.quirks };
}

/** Query to get collection members in full, from the root's features; null: not supported. */
export function expandQuery(root: Json): string | null {
  const { NoLinks, ExpandAll, Levels } = objectOf(objectOf(root['ProtocolFeaturesSupported'])['ExpandQuery']);
  const what = NoLinks === true ? '.' : ExpandAll === true ? '*' : null;
  return what === null ? null : `$expand=${what}${Levels === true ? '($levels=1)' : ''}`;
}
