import type { EntityKind } from '../../../model/entity.ts';
import { assignedName } from '../../../model/incident/assigned-name.ts';
import { appendEdge } from '../../../model/rows/records.ts';
import type { EdgeKind } from '../../../model/topology.ts';
import { linksOf, objectOf, textOf } from './format.ts';
import type { Part } from './parts.ts';
import { fedBy } from './read-equipment.ts';
import { type RedfishEntity, redfishEntityKey } from './redfish-entity.ts';
import type { Walk } from './walk.ts';

const partKinds: ReadonlySet<EntityKind> = new Set([
  'cpu',
  'gpu',
  'nic',
  'nvlink',
  'psu',
  'cooling',
  'outlet',
  'breaker',
]);

/** Writes the `contains` and `feeds` links of the tree. */
export function writeRelations(walk: Walk, parts: readonly Part[]): void {
  const relate = (from: RedfishEntity | undefined, kind: EdgeKind, to: RedfishEntity | undefined) => {
    const key = from && to ? `${redfishEntityKey(from)} ${kind} ${redfishEntityKey(to)}` : '';
    if (!from || !to || redfishEntityKey(from) === redfishEntityKey(to)) return;
    // The chassis of a module links to its system and its surroundings: a part contains no machine.
    if (kind === 'contains' && to.kind === 'server' && partKinds.has(from.kind)) return;
    if (!walk.memory.isNew(key)) return;
    const provenance = 'redfish links';
    appendEdge(walk.builder, { from: walk.sampler.entity(from), kind, to: walk.sampler.entity(to), provenance });
  };
  const { machine, tree } = walk;
  for (const { entity, resource, oldResource } of parts) {
    const home = machine.of(
      (resource ?? oldResource)?.id.replace(
        /\/(PowerSubsystem|ThermalSubsystem|Power|Thermal|PowerSupplies)\b.*$/,
        '',
      ) ?? '',
    );
    relate(home, 'contains', entity);
    // A PSU of a PDU or shelf feeds the connected machines; one in a server feeds that server.
    if (entity.kind === 'psu' && home.kind === 'server') relate(entity, 'feeds', home);
  }
  for (const { id } of tree.ofType('Processor'))
    relate(machine.of(id.replace(/\/Processors\/.*$/, '')), 'contains', machine.exact(id));
  for (const { id } of tree.ofType('Port')) {
    const port = machine.exact(id);
    if (port?.kind === 'nvlink') relate(machine.of(id.replace(/\/Ports\/.*$/, '')), 'contains', port);
  }
  for (const { id, doc } of tree.ofType('Outlet', 'Circuit')) {
    const entity = machine.exact(id);
    relate(machine.of(id.split('/').slice(0, -2).join('/')), 'contains', entity);
    for (const circuit of linksOf(objectOf(doc['Links'])['BranchCircuit']))
      relate(machine.exact(circuit), 'feeds', entity);
    for (const outlet of linksOf(objectOf(doc['Links'])['Outlets'])) relate(entity, 'feeds', machine.exact(outlet));
    for (const fed of fedBy(doc)) relate(entity, 'feeds', machine.exact(fed));
  }
  for (const { id, doc } of tree.ofType('Chassis')) {
    const entity = machine.of(id);
    const links = objectOf(doc['Links']);
    for (const inner of linksOf(links['Contains'])) relate(entity, 'contains', machine.exact(inner));
    for (const outer of linksOf(links['ContainedBy'])) relate(machine.exact(outer), 'contains', entity);
    for (const system of linksOf(links['ComputerSystems'])) relate(entity, 'contains', machine.exact(system));
    for (const supply of linksOf(links['PoweredBy'])) relate(machine.exact(supply), 'feeds', entity);
    const rack = assignedName(textOf(objectOf(objectOf(doc['Location'])['Placement'])['Rack']));
    if (rack !== '') relate({ kind: 'rack', id: rack }, 'contains', entity);
  }
}
