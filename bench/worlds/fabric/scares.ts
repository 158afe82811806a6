import { deviceNames, type Fault, gpuNames, type Maker, machineNames, portName } from './fault.ts';
import { gpuKey, nicKey, serverKey } from './plant.ts';
import { modulesOf, type Site } from './site.ts';

/** What looks frightening and does no harm, as long as nothing else is out. */
function falseAlarm(
  { site, at_s }: { readonly site: Site; readonly at_s: number },
  subject: string,
  story: string,
  begin: Fault['begin'],
  roots: Fault['truth']['roots'] = [],
): Fault | undefined {
  return site.isCloud
    ? undefined
    : { family: 'scare', subject, at_s, story: `harmless: ${story}`, truth: { roots }, begin };
}

/** Notes one event about something, and that is all. */
const says =
  (type: string, subject: string, data: Readonly<Record<string, string | number>> = {}): Fault['begin'] =>
  ({ engine }, id) => {
    engine.note(type, subject, [id], data);
  };

const redundantFeed: Maker = (at) => {
  const side = at.chance.pick(['A', 'B'] as const);
  if (modulesOf(at.site.sources[side]).length < 2 || at.site.racks.some(({ cords }) => cords.length === 1))
    return undefined;
  const name = modulesOf(at.site.sources[side])[0]!;
  return falseAlarm(
    at,
    `ups:${name}`,
    `one of the modules of side ${side}, ${name}, goes off`,
    ({ plant, engine }, id) => plant.lose(`ups:${name}`, engine.note('ups_output_off', `ups:${name}`, [id])),
    deviceNames('ups', name),
  );
};

const redundantSupply: Maker = (at) => {
  const machines = at.site.machines.filter(({ supplies }) => supplies > 1);
  if (machines.length === 0) return undefined;
  const machine = at.chance.pick(machines);
  return falseAlarm(
    at,
    `psu:${machine.name}/1`,
    `supply 1 of ${machine.name} fails, it has another`,
    ({ plant, engine }, id) =>
      plant.lose(`psu:${machine.name}/1`, engine.note('supply_failed', `psu:${machine.name}/1`, [id])),
    machineNames(machine, at.site),
  );
};

const fan: Maker = (at) => {
  const machine = at.chance.pick(at.site.machines);
  return falseAlarm(
    at,
    serverKey(machine),
    `a fan of ${machine.name} is slow`,
    says('fan_warning', serverKey(machine), { fan: at.chance.whole(1, 8) }),
  );
};

const unusedPort: Maker = (at) => {
  const row = at.chance.pick(at.site.rows);
  const name = at.chance.pick([row.tor, ...row.leafs]);
  const port = portName(at.site, at.chance.whole(60, 64));
  return falseAlarm(at, `port:${name}/${port}`, `unused port ${port} of ${name} flaps`, ({ engine }, id) => {
    for (let k = 0; k < 4; k++) {
      engine.after(k * 17, () => engine.note('port_down', `port:${name}/${port}`, [id]));
      engine.after(k * 17 + 5, () => engine.note('port_up', `port:${name}/${port}`, [id]));
    }
  });
};

const correctable: Maker = (at) => {
  const machine = at.chance.pick(at.site.machines);
  return falseAlarm(at, serverKey(machine), `memory of ${machine.name} corrects errors`, ({ engine }, id) => {
    for (let k = 0; k < 6; k++) engine.after(k * 31, () => engine.note('memory_corrected', serverKey(machine), [id]));
  });
};

const remapped: Maker = (at) => {
  const machines = at.site.machines.filter(({ gpus }) => gpus > 0);
  if (machines.length === 0) return undefined;
  const machine = at.chance.pick(machines);
  return falseAlarm(
    at,
    gpuKey(machine, 0),
    `GPU 0 of ${machine.name} remaps a row`,
    says('xid', gpuKey(machine, 0), {
      code: 63,
      text: "pid='<unknown>', name=<unknown>, Row Remapper: New row marked for remapping, reset gpu to activate.",
    }),
    gpuNames(machine, 0),
  );
};

const noisyController: Maker = (at) => {
  const machine = at.chance.pick(at.site.machines);
  return falseAlarm(at, serverKey(machine), `the controller of ${machine.name} repeats itself`, ({ engine }, id) => {
    for (let k = 0; k < 12; k++) engine.after(k * 23, () => engine.note('bmc_noise', serverKey(machine), [id]));
  });
};

const generatorTest: Maker = (at) => {
  const names = at.site.upses;
  if (names.length === 0) return undefined;
  return falseAlarm(at, `ups:${names[0]}`, 'test of the generator', ({ engine }, id) => {
    for (const name of names) {
      engine.note('ups_on_battery', `ups:${name}`, [id]);
      engine.measure(`battery:${name}`, 1);
    }
    engine.after(14, () => {
      for (const name of names) {
        engine.measure(`battery:${name}`, 0);
        engine.note('ups_on_line', `ups:${name}`, [id]);
      }
    });
  });
};

const spareLink: Maker = (at) => {
  if (at.site.spare.length === 0) return undefined;
  const machine = at.chance.pick(at.site.spare);
  return falseAlarm(
    at,
    nicKey(machine, 1),
    `cable of ${machine.name}, on which nothing runs, is pulled`,
    says('link_down', nicKey(machine, 1)),
  );
};

export const scares: readonly Maker[] = [
  redundantFeed,
  redundantSupply,
  fan,
  unusedPort,
  correctable,
  remapped,
  noisyController,
  generatorTest,
  spareLink,
];
