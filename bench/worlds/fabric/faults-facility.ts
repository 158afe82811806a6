import { deviceNames, type Family, type Fault, type Maker, machineNames, portName } from './fault.ts';
import { nicKey, serverKey } from './plant.ts';
import { modulesOf, type Row, type Site } from './site.ts';

const on = (site: Site, maker: () => Fault | undefined): Fault | undefined => (site.isCloud ? undefined : maker());
/** Rows with work that their loss would hurt come first, most times: a recording is kept because something broke. */
const rowWithGpus = (site: Site, pick: (rows: readonly Row[]) => Row): Row => {
  const rows = site.rows.filter(({ racks }) => racks.some(({ machines }) => machines.some(({ gpus }) => gpus > 0)));
  return pick(rows.length > 0 ? rows : site.rows);
};

const mainsLost: Maker = ({ site, chance, at_s }) =>
  on(site, () => {
    const side = chance.pick(['A', 'B'] as const);
    const seconds = chance.pick([20, 300, 1200]);
    const [first] = modulesOf(site.sources[side]);
    return {
      family: 'mains_lost',
      subject: `utility:${side}`,
      at_s,
      story: `mains ${side} fail for ${seconds} s`,
      truth: {
        roots: first
          ? modulesOf(site.sources[side]).flatMap((name) => deviceNames('ups', name))
          : site.rows.flatMap(({ pdus }) => deviceNames('pdu', pdus[side])),
        measured: modulesOf(site.sources[side]).map((name) => `battery:ups:${name}`),
      },
      begin: ({ plant }, id) => plant.loseMains(side, id, seconds),
    };
  });

const upsFault: Maker = ({ site, chance, at_s }) =>
  on(site, () => {
    const sides = (['A', 'B'] as const).filter((side) => modulesOf(site.sources[side]).length > 0);
    if (sides.length === 0) return undefined;
    const side = chance.pick(sides);
    const source = site.sources[side];
    const lost = source.kind === 'bus' && chance.is(0.4) ? source.modules.slice(0, 2) : [modulesOf(source)[0]!];
    const takesSwitch = source.kind === 'block' && chance.is(0.5);
    return {
      family: 'ups_fault',
      subject: `ups:${lost[0]}`,
      at_s,
      story: `${lost.join(' and ')} drop their load${takesSwitch ? ', and the transfer switch does not transfer' : ''}`,
      truth: { roots: lost.flatMap((name) => deviceNames('ups', name)) },
      begin: ({ plant, engine }, id) => {
        if (takesSwitch) plant.lose(`sts:${side}`, id);
        for (const name of lost) plant.lose(`ups:${name}`, engine.note('ups_output_off', `ups:${name}`, [id]));
      },
    };
  });

const phaseBreaker: Maker = ({ site, chance, at_s }) =>
  on(site, () => {
    const rack = chance.pick(site.racks);
    const side = chance.pick(rack.cords);
    const pdu = rack.row.pdus[side];
    return {
      family: 'phase_breaker',
      subject: `pdu:${pdu}`,
      at_s,
      story: `breaker of ${rack.phase} in ${pdu} opens`,
      truth: {
        roots: [...deviceNames('pdu', pdu), { kind: 'breaker', id: `${pdu}/${rack.phase}` }],
        measured: [`current:pdu:${pdu}`],
      },
      begin: ({ plant, engine }, id) =>
        plant.lose(
          `breaker:${pdu}/${rack.phase}`,
          engine.note('breaker_open', `pdu:${pdu}`, [id], { phase: rack.phase }),
        ),
    };
  });

const psuFailed: Maker = ({ site, chance, at_s }) =>
  on(site, () => {
    const machine = chance.pick(site.machines);
    const number = chance.whole(1, machine.supplies);
    return {
      family: 'psu_failed',
      subject: `psu:${machine.name}/${number}`,
      at_s,
      story: `supply ${number} of ${machine.name} fails`,
      truth: {
        roots: [
          { kind: 'psu', id: `${machine.name}/psu-PSU${number}` },
          { kind: 'psu', id: `${machine.name}/PSU${number}` },
          ...machineNames(machine, site),
        ],
      },
      begin: ({ plant, engine }, id) =>
        plant.lose(
          `psu:${machine.name}/${number}`,
          engine.note('supply_failed', `psu:${machine.name}/${number}`, [id]),
        ),
    };
  });

const rackPower: Maker = ({ site, chance, at_s }) =>
  on(site, () => {
    const rack = chance.pick(site.racks);
    const seconds = chance.between(200, 900);
    return {
      family: 'rack_power',
      subject: `rack:${rack.name}`,
      at_s,
      story: `all power of ${rack.name} goes (emergency switch)`,
      truth: { roots: [{ kind: 'rack', id: rack.name }, ...deviceNames('pdu', `rpdu-${rack.name}`)] },
      begin: ({ plant, engine }, id) => {
        plant.lose(`rack:${rack.name}`, engine.note('strip_dead', `pdu:rpdu-${rack.name}`, [id]));
        engine.after(seconds, () => plant.restore(`rack:${rack.name}`));
      },
    };
  });

function water(family: Family, target: readonly [low: number, high: number], tau: readonly [number, number]): Maker {
  return ({ site, chance, at_s }) =>
    on(site, () => {
      const row = rowWithGpus(site, (rows) => chance.pick(rows));
      const isPump = family === 'cdu_pump';
      const hasStandby = isPump && chance.is(0.3);
      const target_c = chance.between(...target);
      const tau_s = chance.between(...tau);
      return {
        family,
        subject: `cooling:${row.cdu}`,
        at_s,
        story: `${isPump ? 'pump' : 'valve'} of ${row.cdu} fails${hasStandby ? ', the standby takes over' : ''}`,
        truth: { roots: deviceNames('cooling', row.cdu), measured: [`loop:cooling:${row.cdu}`] },
        begin: ({ plant, engine }, id) => {
          const by = engine.note(isPump ? 'pump_failed' : 'valve_stuck', `cooling:${row.cdu}`, [id]);
          engine.measure(`flow:${row.name}`, isPump ? 8 : 55);
          if (hasStandby)
            engine.after(6, () => {
              engine.measure(`flow:${row.name}`, 96);
              engine.note('pump_standby', `cooling:${row.cdu}`, [by]);
            });
          else plant.heatLoop(row, target_c, tau_s, by);
        },
      };
    });
}
const cduPump = water('cdu_pump', [62, 80], [120, 300]);
const cduValve = water('cdu_valve', [46, 60], [300, 700]);

const chillerFault: Maker = ({ site, chance, at_s }) =>
  on(site, () => {
    const target_c = chance.between(48, 66);
    const tau_s = chance.between(400, 700);
    return {
      family: 'chiller',
      subject: `cooling:${site.chiller}`,
      at_s,
      story: `${site.chiller} trips`,
      truth: { roots: deviceNames('cooling', site.chiller) },
      begin: ({ plant, engine }, id) => {
        const by = engine.note('chiller_trip', `cooling:${site.chiller}`, [id]);
        for (const row of site.rows) plant.heatLoop(row, target_c, tau_s, by);
        for (const rack of site.racks) plant.heatAir(rack.name, target_c - 16, 600, by);
      },
    };
  });

const rearDoor: Maker = ({ site, chance, at_s }) =>
  on(site, () => {
    const racks = site.racks.filter(({ machines }) => machines.some(({ role }) => role === 'cpu'));
    if (racks.length === 0) return undefined;
    const rack = chance.pick(racks);
    const door = `rdhx-${rack.name}`;
    const target_c = chance.between(40, 50);
    const tau_s = chance.between(120, 300);
    return {
      family: 'rear_door',
      subject: `cooling:${door}`,
      at_s,
      story: `fans of the rear door of ${rack.name} stop`,
      truth: { roots: deviceNames('cooling', door) },
      begin: ({ plant, engine }, id) =>
        plant.heatAir(rack.name, target_c, tau_s, engine.note('door_fan_failed', `cooling:${door}`, [id])),
    };
  });

const switchFirmware: Maker = ({ site, chance, at_s }) =>
  on(site, () => {
    const row = chance.pick(site.rows);
    const isFront = site.jobs.length === 0 || chance.is(0.5);
    const name = isFront ? row.tor : chance.pick(row.leafs);
    const seconds = chance.between(90, 280);
    return {
      family: 'switch_firmware',
      subject: `switch:${name}`,
      at_s,
      story: `${name} restarts for new firmware`,
      truth: { roots: deviceNames('switch', name) },
      begin: ({ engine }, id) => {
        const by = engine.note('switch_restart', `switch:${name}`, [id]);
        engine.hinder(`switch:${name}`, 'restart', Number.POSITIVE_INFINITY, by);
        // Each card that is plugged into it loses its link.
        const rail = row.leafs.indexOf(name) + 1;
        const cards = row.racks.flatMap(({ machines }) => machines).filter(({ gpus }) => rail === 0 || gpus > 0);
        for (const machine of cards) engine.note('near_link_down', nicKey(machine, rail), [by]);
        engine.after(seconds, () => {
          engine.relieve(`switch:${name}`, 'restart');
          engine.note('switch_up', `switch:${name}`, [by]);
          for (const machine of cards) engine.note('near_link_up', nicKey(machine, rail), [by]);
        });
      },
    };
  });

const spineLost: Maker = ({ site, chance, at_s }) =>
  on(site, () => {
    if (site.spines.length === 0 || site.rows.length < 2) return undefined;
    const name = chance.pick(site.spines);
    const left = site.spines.length - 1;
    const factor = 1 + chance.between(1.2, 4) / left;
    return {
      family: 'spine_lost',
      subject: `switch:${name}`,
      at_s,
      story: `${name} goes down; ${left} are left`,
      truth: { roots: deviceNames('switch', name) },
      begin: ({ engine }, id) => {
        const by = engine.note('switch_down', `switch:${name}`, [id]);
        engine.hinder('network:spines', name, factor, by);
      },
    };
  });

const congestion: Maker = ({ site, chance, at_s }) =>
  on(site, () => {
    const row = rowWithGpus(site, (rows) => chance.pick(rows));
    const name =
      site.jobs.some(({ machines }) => machines.length > 1) && chance.is(0.6) ? chance.pick(row.leafs) : row.tor;
    const port = portName(site, 3);
    const factor = name === row.tor ? chance.between(8, 60) : chance.between(1.8, 5);
    const seconds = chance.between(240, 1200);
    return {
      family: 'congestion',
      subject: `switch:${name}`,
      at_s,
      story: `pause frames fill the buffers of ${name}`,
      truth: { roots: [...deviceNames('switch', name), { kind: 'port', id: `${name}/${port}` }] },
      begin: ({ engine }, id) => {
        const by = engine.note('congested', `switch:${name}`, [id], { port });
        engine.measure(`pauses:${name}`, 1);
        engine.hinder(`switch:${name}`, 'congestion', factor, by);
        engine.after(seconds, () => {
          engine.relieve(`switch:${name}`, 'congestion');
          engine.measure(`pauses:${name}`, 0);
          engine.note('congestion_ended', `switch:${name}`, [by], { port });
        });
      },
    };
  });

const cloudMaintenance: Maker = ({ site, chance, at_s }) => {
  if (!site.isCloud) return undefined;
  const machine = chance.pick(site.machines);
  const isLoss = chance.is(0.5);
  const factor = chance.between(2.5, 6);
  const seconds = chance.between(300, 1200);
  return {
    family: 'cloud_maintenance',
    subject: `instance:${machine.instance}`,
    at_s,
    story: `the provider ${isLoss ? 'loses' : 'degrades'} the host of ${machine.name}`,
    truth: { roots: machineNames(machine, site) },
    begin: ({ engine, plant }, id) => {
      const by = engine.note(isLoss ? 'host_retired' : 'host_degraded', `instance:${machine.instance}`, [id]);
      engine.hinder(serverKey(machine), 'host', isLoss ? Number.POSITIVE_INFINITY : factor, by);
      if (isLoss) {
        engine.measure(`up:${machine.name}`, 0);
        plant.boot(machine, 'host', by);
      } else
        engine.after(seconds, () => {
          engine.relieve(serverKey(machine), 'host');
        });
    },
  };
};

export const facilityFaults: readonly Maker[] = [
  mainsLost,
  upsFault,
  phaseBreaker,
  psuFailed,
  rackPower,
  cduPump,
  cduValve,
  chillerFault,
  rearDoor,
  switchFirmware,
  spineLost,
  congestion,
  cloudMaintenance,
];
