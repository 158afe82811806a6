import { createSocket, type RemoteInfo, type Socket } from 'node:dgram';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { byAddress, link, rackTree } from '../test/support/redfish-rack.ts';
import type { Doc } from '../test/support/redfish-service.ts';
import {
  GAUGE32,
  OBJECT_ID,
  ObjectTable,
  OCTETS,
  requestIn,
  responseTo,
  TICKS,
  type Value,
} from '../test/support/snmp-agent.ts';
import type { Fate } from './day-schedule.ts';

/** A device on loopback that works, or fails in one of its modes. */
export interface Device {
  readonly name: string;
  readonly poll_ms: number;
  /** Longer than a capture needs for discovery and the pause after it, on a busy machine. */
  readonly learned_ms: number;
  /** Its feed of a plan. */
  readonly plan: Readonly<Record<string, unknown>>;
  readonly modes: Readonly<Record<string, Fate>>;
  /** @param mode null: it works again */
  become(mode: string | null): Promise<void>;
  close(): Promise<void>;
}

const OUTLETS = 24;
/** rPDU2OutletMeteredStatusTable of PowerNet-MIB: current (tenths of A) and power (W) of each outlet. */
const OUTLET = '1.3.6.1.4.1.318.1.1.26.9.4.3.1';
const GARBAGE = Buffer.from([0x30, 0x82, 0xff, 0xff, 0x02, 0x01, 0x01, 0x04, 0x06, 0x70, 0x75, 0x62, 0xff, 0x00]);

const wander = (seed: number, middle: number): number =>
  Math.round(middle * (1 + 0.1 * Math.sin(Date.now() / 30_000 + seed)) + Math.random() * 3);

/** A PDU that is polled by SNMP four times a second. */
export async function pduDevice(number: number): Promise<Device> {
  let mode: string | null = null;
  let began_ms = Date.now();
  const reading = (outlet: number, middle: number): Value => {
    const value = wander(outlet + number, middle);
    if (mode === 'wrong types') return { tag: OCTETS, value: 'lots' };
    if (mode === 'huge answers') return { tag: OCTETS, value: 'x'.repeat(1500) };
    if (mode === 'implausible' && outlet % 2 === 0) return { tag: GAUGE32, value: 4_000_000_000 };
    return { tag: GAUGE32, value };
  };
  const values = new Map<string, () => Value>([
    ['1.3.6.1.2.1.1.2.0', () => ({ tag: OBJECT_ID, value: '1.3.6.1.4.1.318.1.3.4.6' })],
    ['1.3.6.1.2.1.1.3.0', () => ({ tag: TICKS, value: Math.round((Date.now() - began_ms) / 10) + 100 })],
    ['1.3.6.1.2.1.1.5.0', () => ({ tag: OCTETS, value: `pdu-${number}` })],
  ]);
  for (let outlet = 1; outlet <= OUTLETS; outlet++) {
    values.set(`${OUTLET}.3.${outlet}`, () => ({ tag: OCTETS, value: `outlet ${outlet}` }));
    values.set(`${OUTLET}.6.${outlet}`, () => reading(outlet, 30));
    values.set(`${OUTLET}.7.${outlet}`, () => reading(outlet, 700));
  }
  const table = new ObjectTable(values);
  let socket: Socket | null = null;
  let port = 0;
  const open = async () => {
    const own = createSocket('udp4');
    own.on('message', (datagram, { address, port: from }: RemoteInfo) => {
      if (mode === 'hung') return;
      const request = requestIn(datagram);
      const id = mode === 'answers to another question' ? Buffer.from([1, 2, 3, 4]) : request.id;
      own.send(mode === 'garbage' ? GARBAGE : responseTo({ ...request, id }, table.answer(request)), from, address);
    });
    await new Promise<void>((resolve, reject) => own.once('error', reject).bind(port, '127.0.0.1', resolve));
    port = own.address().port;
    socket = own;
  };
  const close = async () => {
    const own = socket;
    socket = null;
    if (own) await new Promise<void>((resolve) => own.close(resolve));
  };
  await open();
  const modes = {
    dead: 'silent',
    hung: 'silent',
    garbage: 'silent',
    'answers to another question': 'silent',
    restarts: 'silent',
    'wrong types': 'odd',
    'huge answers': 'odd',
    implausible: 'odd',
  } as const;
  const become = async (next: string | null) => {
    if (mode === 'restarts') began_ms = Date.now();
    mode = next;
    if (mode === 'dead' || mode === 'restarts') await close();
    else if (socket === null) await open();
  };
  const name = `pdu-${number}`;
  return {
    name,
    poll_ms: 250,
    learned_ms: 5000,
    plan: { kind: 'snmp', name, host: '127.0.0.1', port, every_s: 0.25, timeout_s: 1 },
    modes,
    become,
    close,
  };
}

/** An HTTP server whose port stays the same while it dies and comes back. */
class Mortal {
  mode: string | null = null;
  port = 0;
  private server: Server | null = null;
  private readonly answer: (request: IncomingMessage, response: ServerResponse, mode: string | null) => void;

  constructor(answer: Mortal['answer']) {
    this.answer = answer;
  }

  become = async (next: string | null): Promise<void> => {
    this.mode = next;
    if (next === 'dead') await this.close();
    else if (this.server === null) await this.open();
  };

  open = async (): Promise<void> => {
    const server = createServer((request, response) => {
      if (this.mode === 'hung') return;
      if (this.mode === 'torn') {
        response.writeHead(200, { 'content-length': '100000' }).write('{"a": [\n');
        setTimeout(() => request.socket.destroy(), 50);
      } else if (this.mode === '503') response.writeHead(503).end('no');
      else if (this.mode === 'html')
        response.writeHead(200, { 'content-type': 'text/html' }).end('<html>Log in</html>');
      else this.answer(request, response, this.mode);
    });
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(this.port, '127.0.0.1', resolve));
    this.port = (server.address() as AddressInfo).port;
    this.server = server;
  };

  close = async (): Promise<void> => {
    const { server } = this;
    this.server = null;
    if (!server) return;
    await new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  };
}

const SERIES = 300;
const MOST_SAMPLES = 5000;

/** A target that is scraped each second. */
export async function target(number: number): Promise<Device> {
  let [count, restarted] = [0, 0];
  const mortal = new Mortal((_, response, mode) => {
    count++;
    if (mode === 'counters go back' && count % 5 === 0) restarted = count;
    const lines: string[] = ['# TYPE day_gauge gauge', '# TYPE day_total counter'];
    const series = mode === 'too many' ? MOST_SAMPLES + 1000 : SERIES;
    for (let i = 0; i < series; i++) {
      const value = mode === 'implausible' ? 1e300 : mode === 'NaN' ? 'NaN' : wander(i, 400);
      if (i % 2 === 0) lines.push(`day_gauge{gpu="${i}"} ${mode === 'wrong types' && i % 4 === 0 ? 'lots' : value}`);
      else lines.push(`day_total{gpu="${i}"} ${(count - restarted) * i}`);
    }
    const text =
      mode === 'garbage'
        ? Buffer.from(Array.from({ length: 4000 }, () => Math.random() * 256))
        : `${lines.join('\n')}\n`;
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' }).end(text);
  });
  await mortal.open();
  const name = `node-${number}`;
  const plan = { kind: 'prometheus', name, url: `http://127.0.0.1:${mortal.port}/metrics`, every_s: 1, timeout_s: 2 };
  const modes = {
    dead: 'silent',
    hung: 'silent',
    torn: 'silent',
    '503': 'silent',
    html: 'silent',
    'too many': 'silent',
    garbage: 'either',
    'wrong types': 'odd',
    implausible: 'odd',
    NaN: 'either',
    'counters go back': 'odd',
  } as const;
  return {
    name,
    poll_ms: 1000,
    learned_ms: 5000,
    plan: { ...plan, device: name, most_samples: MOST_SAMPLES },
    modes,
    become: mortal.become,
    close: mortal.close,
  };
}

/** A rack manager that is asked each second. */
export async function rackManager(): Promise<Device> {
  const tree = new Map(byAddress(rackTree()));
  tree.set('/redfish/v1', {
    '@odata.id': '/redfish/v1',
    '@odata.type': '#ServiceRoot.v1_5_0.ServiceRoot',
    RedfishVersion: '1.6.0',
    Chassis: link('/redfish/v1/Chassis'),
  });
  const mortal = new Mortal((request, response, mode) => {
    const path = (request.url ?? '/').replace(/\?.*$/, '').replace(/\/+$/, '');
    const doc = tree.get(path);
    response.setHeader('content-type', 'application/json');
    if (!doc) return void response.writeHead(404).end('{}');
    if (mode === 'garbage') return void response.end('{"PowerControl": [[[');
    response.end(JSON.stringify(doc.PowerControl ? moving(doc, mode) : doc));
  });
  await mortal.open();
  const modes = {
    dead: 'silent',
    hung: 'silent',
    torn: 'silent',
    '503': 'silent',
    garbage: 'silent',
    html: 'silent',
    'wrong types': 'odd',
  } as const;
  const url = `http://127.0.0.1:${mortal.port}`;
  const plan = {
    kind: 'redfish',
    name: 'rack',
    url,
    every_s: 1,
    timeout_s: 2,
    most_requests_per_s: 100,
    // As often as by default: 71 answers, between which nothing else is asked.
    status_every_s: 60,
  };
  return { name: 'rack', poll_ms: 1000, learned_ms: 20_000, plan, modes, become: mortal.become, close: mortal.close };
}

const moving = (doc: Doc, mode: string | null): Doc => ({
  ...doc,
  PowerControl: [
    {
      MemberId: '0',
      Name: 'System Power',
      PowerConsumedWatts: mode === 'wrong types' ? { W: 'lots' } : wander(1, 1500),
    },
  ],
});
