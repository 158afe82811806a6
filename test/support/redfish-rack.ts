import type { Doc } from './redfish-service.ts';

const version = (type: string) => `#${type}.v1_5_0.${type}`;
export const link = (id: string) => ({ '@odata.id': id });

/** A resource at an address below `/redfish/v1/`. */
export const resource = (path: string, type: string, more: Doc = {}): Doc => ({
  '@odata.id': `/redfish/v1/${path}`,
  '@odata.type': version(type),
  Id: path.split('/').at(-1) ?? '',
  ...more,
});

/** Sensors with equal names on every board: consumed power, an inlet, two supplies of the same names. */
export const board = (chassis: string, more: Doc, { watts, celsius }: { watts: number; celsius: number }): Doc[] => [
  resource(`Chassis/${chassis}`, 'Chassis', {
    ...more,
    Power: link(`/redfish/v1/Chassis/${chassis}/Power`),
    Thermal: link(`/redfish/v1/Chassis/${chassis}/Thermal`),
  }),
  resource(`Chassis/${chassis}/Power`, 'Power', {
    PowerControl: [{ MemberId: '0', Name: 'System Power', PowerConsumedWatts: watts }],
    PowerSupplies: [
      { MemberId: '0', Name: 'PSU 0', PowerInputWatts: watts / 2, Status: { State: 'Enabled', Health: 'OK' } },
      { MemberId: '1', Name: 'PSU 1', PowerInputWatts: watts / 2 + 1, Status: { State: 'Enabled', Health: 'OK' } },
    ],
  }),
  resource(`Chassis/${chassis}/Thermal`, 'Thermal', {
    Temperatures: [{ MemberId: '0', Name: 'Inlet', ReadingCelsius: celsius, PhysicalContext: 'Intake' }],
  }),
];

export const rackWatts: Readonly<Record<string, number>> = { RackA: 1500, SledA1: 310, SledA2: 420, SledA3: 530 };

/** A rack manager (DSP2046, Chassis.ChassisType Rack and Sled): one service, three machines of one make in a rack. */
export function rackTree(): Doc[] {
  const sleds = ['A1', 'A2', 'A3'];
  return [
    resource('Chassis', 'ChassisCollection', {
      Members: ['Rack', ...sleds].map((id) => link(`/redfish/v1/Chassis/${id}`)),
    }),
    ...board('Rack', { ChassisType: 'Rack', SerialNumber: 'RackA' }, { watts: 1500, celsius: 21 }),
    ...sleds.flatMap((id, i) =>
      board(
        id,
        {
          ChassisType: 'Sled',
          SerialNumber: `Sled${id}`,
          Links: { ContainedBy: link('/redfish/v1/Chassis/Rack'), ManagedBy: [link('/redfish/v1/Managers/RMC')] },
        },
        { watts: 310 + 110 * i, celsius: 25 + i },
      ),
    ),
  ];
}

/** As tests keep a tree: by address. */
export const byAddress = (docs: readonly Doc[]): Map<string, Doc> =>
  new Map(docs.map((doc) => [String(doc['@odata.id']), doc]));
