import { nicName, portOf } from '../fault.ts';
import { nicKey } from '../plant.ts';
import { modulesOf } from '../site.ts';
import type { Scene } from './scene.ts';

/** The exports of a DCIM: devices, their power and network ports, and cables. It knows nothing of services, nor of water. */
export function recordNetbox(scene: Scene): void {
  const { site } = scene;
  const chance = scene.chance('netbox');
  const gap = chance.pick([0, 0, 0.05, 0.2]);
  const devices: string[] = [];
  const ports: string[] = [];
  const outlets: string[] = [];
  const interfaces: string[] = [];
  const cables: string[] = [];
  const device = (name: string, role: string, rack = ''): number =>
    devices.push(`${name},${role},Maker,Model,,,active,DC1,${rack},,front,`);
  const cable = (a: string, aType: string, aName: string, b: string, bType: string, bName: string): boolean => {
    if (chance.is(gap)) return false;
    cables.push(`${a},dcim.${aType},${aName},${b},dcim.${bType},${bName},,connected,`);
    return true;
  };
  for (const row of site.rows)
    for (const side of ['A', 'B'] as const) {
      const pdu = row.pdus[side];
      device(pdu, 'Row PDU');
      for (const [i, ups] of modulesOf(site.sources[side]).entries()) {
        if (row === site.rows[0] && !devices.some((line) => line.startsWith(`${ups},`))) device(ups, 'UPS');
        ports.push(`${pdu},Inlet ${i + 1},,iec-60309-3p-n-e-6h,False,,,`);
        outlets.push(`${ups},Out ${pdu},,hardwired,False,,,`);
        if (cable(ups, 'poweroutlet', `Out ${pdu}`, pdu, 'powerport', `Inlet ${i + 1}`))
          scene.link(`ups:${ups}`, `pdu:${pdu}`);
      }
    }
  for (const row of site.rows) for (const name of [row.tor, ...row.leafs]) device(name, 'Leaf Switch');
  for (const machine of site.machines) {
    const { rack, name } = machine;
    device(name, 'Server', rack.name);
    scene.link(`rack:${rack.name}`, `server:${name}`);
    rack.cords.forEach((side, i) => {
      const pdu = rack.row.pdus[side];
      ports.push(`${name},PSU${i + 1},,iec-60320-c20,False,,,`);
      outlets.push(
        `${pdu},${rack.phase} ${name},,iec-60320-c19,False,Inlet 1,${'ABC'['123'.indexOf(rack.phase[1]!)]},`,
      );
      if (cable(pdu, 'poweroutlet', `${rack.phase} ${name}`, name, 'powerport', `PSU${i + 1}`))
        scene.link(`pdu:${pdu}`, `server:${name}`);
    });
    for (let rail = 0; rail <= (machine.gpus > 0 && site.jobs.length > 0 ? site.rails : 0); rail++) {
      const { device: far, port } = portOf(site, machine, rail);
      interfaces.push(
        `${name},${nicName(rail)},,True,False,400gbase-x-osfp,False`,
        `${far},${port},,True,False,400gbase-x-osfp,False`,
      );
      if (!cable(name, 'interface', nicName(rail), far, 'interface', port)) continue;
      scene.link(`switch:${far}`, `server:${name}`);
      scene.link(nicKey(machine, rail), `server:${name}`);
    }
  }
  scene.add('netbox/devices.csv', [
    'name,role,manufacturer,device_type,serial,asset_tag,status,site,rack,position,face,comments',
    ...devices,
  ]);
  scene.add('netbox/racks.csv', [
    'site,location,name,facility_id,status,role,u_height',
    ...site.racks.map(({ name }) => `DC1,,${name},,active,,48`),
  ]);
  scene.add('netbox/power-ports.csv', [
    'device,name,label,type,mark_connected,maximum_draw,allocated_draw,description',
    ...ports,
  ]);
  scene.add('netbox/power-outlets.csv', [
    'device,name,label,type,mark_connected,power_port,feed_leg,description',
    ...outlets,
  ]);
  scene.add('netbox/interfaces.csv', ['device,name,label,enabled,mark_connected,type,mgmt_only', ...interfaces]);
  scene.add('netbox/cables.csv', [
    'side_a_device,side_a_type,side_a_name,side_b_device,side_b_type,side_b_name,type,status,label',
    ...cables,
  ]);
}
