import type { Chance } from '../chance.ts';
import { nicName, portOf } from '../fault.ts';
import { nicKey } from '../plant.ts';
import { type Machine, modulesOf, type Row } from '../site.ts';
import type { Scene } from './scene.ts';

/** Rows of each table, and how they are added. */
class Inventory {
  readonly devices: string[] = [];
  readonly ports: string[] = [];
  readonly outlets: string[] = [];
  readonly interfaces: string[] = [];
  readonly cables: string[] = [];
  private readonly chance: Chance;
  private readonly gap: number;

  constructor(chance: Chance) {
    this.chance = chance;
    this.gap = chance.pick([0, 0, 0.05, 0.2]);
  }

  device(name: string, role: string, rack = ''): void {
    if (this.devices.some((line) => line.startsWith(`${name},`))) return;
    this.devices.push(`${name},${role},Maker,Model,,,active,DC1,${rack},,front,`);
  }

  /** False: nobody entered it. */
  cable(a: End, b: End): boolean {
    if (this.chance.is(this.gap)) return false;
    const [from, to] = [a, b].map(([device, type, name]) => `${device},dcim.${type},${name}`);
    this.cables.push(`${from},${to},,connected,`);
    return true;
  }
}
type End = readonly [device: string, type: 'poweroutlet' | 'powerport' | 'interface', name: string];

/** The exports of a DCIM: devices, their power and network ports, and cables. It knows nothing of services, nor of water. */
export function recordNetbox(scene: Scene): void {
  const inventory = new Inventory(scene.chance('netbox'));
  for (const row of scene.site.rows) rowOf(scene, row, inventory);
  for (const machine of scene.site.machines) machineOf(scene, machine, inventory);
  const { devices, ports, outlets, interfaces, cables } = inventory;
  const racks = scene.site.racks.map(({ name }) => `DC1,,${name},,active,,48`);
  const tables: readonly (readonly [name: string, header: string, rows: readonly string[]])[] = [
    ['devices', 'name,role,manufacturer,device_type,serial,asset_tag,status,site,rack,position,face,comments', devices],
    ['racks', 'site,location,name,facility_id,status,role,u_height', racks],
    ['power-ports', 'device,name,label,type,mark_connected,maximum_draw,allocated_draw,description', ports],
    ['power-outlets', 'device,name,label,type,mark_connected,power_port,feed_leg,description', outlets],
    ['interfaces', 'device,name,label,enabled,mark_connected,type,mgmt_only', interfaces],
    ['cables', 'side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status,label', cables],
  ];
  for (const [name, header, rows] of tables) scene.add(`netbox/${name}.csv`, [header, ...rows]);
}

function rowOf(scene: Scene, row: Row, inventory: Inventory): void {
  for (const side of ['A', 'B'] as const) {
    const pdu = row.pdus[side];
    inventory.device(pdu, 'Row PDU');
    for (const [i, ups] of modulesOf(scene.site.sources[side]).entries()) {
      inventory.device(ups, 'UPS');
      inventory.ports.push(`${pdu},Inlet ${i + 1},,iec-60309-3p-n-e-6h,False,,,`);
      inventory.outlets.push(`${ups},Out ${pdu},,hardwired,False,,,`);
      if (inventory.cable([ups, 'poweroutlet', `Out ${pdu}`], [pdu, 'powerport', `Inlet ${i + 1}`]))
        scene.link(`ups:${ups}`, `pdu:${pdu}`);
    }
  }
  for (const name of [row.tor, ...row.leafs]) inventory.device(name, 'Leaf Switch');
}

function machineOf(scene: Scene, machine: Machine, inventory: Inventory): void {
  const { site } = scene;
  const { rack, name } = machine;
  inventory.device(name, 'Server', rack.name);
  scene.link(`rack:${rack.name}`, `server:${name}`);
  rack.cords.forEach((side, i) => {
    const pdu = rack.row.pdus[side];
    const outlet = `${rack.phase} ${name}`;
    inventory.ports.push(`${name},PSU${i + 1},,iec-60320-c20,False,,,`);
    inventory.outlets.push(`${pdu},${outlet},,iec-60320-c19,False,Inlet 1,${'ABC'['123'.indexOf(rack.phase[1]!)]},`);
    if (inventory.cable([pdu, 'poweroutlet', outlet], [name, 'powerport', `PSU${i + 1}`]))
      scene.link(`pdu:${pdu}`, `server:${name}`);
  });
  for (let rail = 0; rail <= (machine.gpus > 0 && site.jobs.length > 0 ? site.rails : 0); rail++) {
    const { device: far, port } = portOf(site, machine, rail);
    inventory.interfaces.push(`${name},${nicName(rail)},,True,False,400gbase-x-osfp,False`);
    inventory.interfaces.push(`${far},${port},,True,False,400gbase-x-osfp,False`);
    if (!inventory.cable([name, 'interface', nicName(rail)], [far, 'interface', port])) continue;
    scene.link(`switch:${far}`, `server:${name}`);
    scene.link(nicKey(machine, rail), `server:${name}`);
  }
}
