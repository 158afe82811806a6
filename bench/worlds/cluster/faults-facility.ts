import { type Fault, type Maker, minutes, played, serverSubject, workingServer } from './fault.ts';
import { trip } from './power.ts';
import { supplyId } from './site.ts';
import type { Subject } from './state.ts';

const utilitySag: Maker = ({ site, chance, at_s }) => {
  const feed = chance.whole(0, site.feeds.length - 1);
  const dips = Array.from({ length: chance.whole(1, 3) }, (_, i) => ({
    at_s: at_s + i * chance.whole(1, 20),
    volts: chance.between(0.1, 0.8),
    milliseconds: chance.spread(15, 450),
  }));
  const [first] = dips;
  return {
    family: 'utility_sag',
    story: `${site.feeds[feed]} dips to ${Math.round(first!.volts * 100)} % for ${first!.milliseconds.toFixed(0)} ms, ${dips.length} times`,
    from_s: at_s,
    truth: { root: { kind: 'device', id: site.feeds[feed]! }, same: behindFeed({ site, feed }) },
    start: played({
      during: dips.map((dip) => [
        dip.at_s,
        dip.at_s + 0.5,
        ({ feeds }) => {
          feeds[feed]!.dip_ms = dip.milliseconds;
          feeds[feed]!.dip_volts = dip.volts;
        },
      ]),
    }),
  };
};

/** Nobody records the utility itself: the first devices behind it are where it shows. */
function behindFeed({ site, feed }: { readonly site: Parameters<Maker>[0]['site']; readonly feed: number }): Subject[] {
  const upses = site.upses.filter((ups) => ups.feed === feed).map(({ name }): Subject => ({ kind: 'ups', id: name }));
  const bare = site.pdus.filter((pdu) => pdu.feed === feed && pdu.ups === null);
  return [...upses, ...bare.map(({ name }): Subject => ({ kind: 'pdu', id: name }))];
}

const utilityOutage: Maker = ({ site, chance, at_s }) => {
  const feed = chance.whole(0, site.feeds.length - 1);
  // With a generator the outage ends when it has started and taken over.
  const seconds = chance.is(0.6) ? chance.between(9, 25) : chance.spread(30, 1200);
  return {
    family: 'utility_outage',
    story: `${site.feeds[feed]} is out for ${minutes(seconds)}`,
    from_s: at_s,
    truth: { root: { kind: 'device', id: site.feeds[feed]! }, same: behindFeed({ site, feed }) },
    start: played({
      during: [
        [
          at_s,
          at_s + seconds,
          ({ feeds }) => {
            feeds[feed]!.volts = 0;
          },
        ],
      ],
    }),
  };
};

const upsFault: Maker = ({ site, chance, at_s }) => {
  if (site.upses.length === 0) return undefined;
  const ups = chance.whole(0, site.upses.length - 1);
  const bypass = chance.is(0.35);
  const seconds = chance.spread(40, 900);
  const subject = { kind: 'ups' as const, id: site.upses[ups]!.name };
  return {
    family: 'ups_fault',
    story: `the inverter of ${subject.id} fails, ${bypass ? 'it goes to bypass' : 'its output is off'}, for ${minutes(seconds)}`,
    from_s: at_s,
    truth: { root: subject, same: [] },
    start: played({
      once: [
        [
          at_s,
          (state) => {
            state.upses[ups]!.broken = true;
            state.upses[ups]!.can_bypass = bypass;
            state.note(bypass ? 'ups_bypass' : 'ups_fault', subject);
          },
        ],
        [
          at_s + seconds,
          (state) => {
            state.upses[ups]!.broken = false;
            state.note('ups_fault_over', subject);
          },
        ],
      ],
    }),
  };
};

const upsDeadBattery: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  if (site.upses.length === 0) return undefined;
  const ups = chance.whole(0, site.upses.length - 1);
  const { feed, name } = site.upses[ups]!;
  const seconds = chance.spread(0.5, 20);
  return {
    family: 'ups_dead_battery',
    story: `the battery of ${name} is dead when ${site.feeds[feed]} is away for ${seconds.toFixed(1)} s`,
    from_s: at_s,
    truth: { root: { kind: 'ups', id: name }, same: [{ kind: 'device', id: site.feeds[feed]! }] },
    start: played({
      during: [
        [
          at_s,
          at_s + seconds,
          ({ feeds, upses }) => {
            upses[ups]!.battery_dead = true;
            feeds[feed]!.volts = 0.2;
          },
        ],
      ],
    }),
  };
};

const breakerTrip: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  const server = workingServer(aim)!;
  const pdu = chance.pick(site.servers[server]!.supplies);
  const seconds = chance.spread(60, 900);
  const { name } = site.pdus[pdu]!;
  return {
    family: 'breaker_trip',
    story: `the breaker of ${name} trips, and is closed again after ${minutes(seconds)}`,
    from_s: at_s,
    truth: {
      root: { kind: 'pdu', id: name },
      same: [
        { kind: 'breaker', id: `${name}/ocp-1` },
        { kind: 'breaker', id: `${name}/breaker-1` },
      ],
    },
    start: played({
      once: [
        [at_s, (state) => trip(state, pdu)],
        [
          at_s + seconds,
          (state) => {
            state.pdus[pdu]!.tripped = false;
            state.pdus[pdu]!.heat = 0;
            state.note('breaker_closed', { kind: 'pdu', id: name });
          },
        ],
      ],
    }),
  };
};

/** @returns the failure of one supply; of a machine that has a second one it may do nothing */
export const psuFailureAt = (server: number, k: number, { site, chance, at_s }: Parameters<Maker>[0]): Fault => {
  const built = site.servers[server]!;
  const seconds = chance.spread(300, 3000);
  return {
    family: 'psu_failure',
    story: `supply ${k + 1} of ${built.name} fails; it has ${built.supplies.length}`,
    from_s: at_s,
    truth: { root: { kind: 'psu', id: supplyId(built, k) }, same: [serverSubject(site, server)] },
    start: played({
      once: [
        [
          at_s,
          (state) => {
            state.servers[server]!.supplies[k]!.broken = true;
          },
        ],
        [
          at_s + seconds,
          (state) => {
            state.servers[server]!.supplies[k]!.broken = false;
          },
        ],
      ],
    }),
  };
};

const psuFailure: Maker = (aim) => {
  const server = workingServer(aim)!;
  return psuFailureAt(server, aim.chance.whole(0, aim.site.servers[server]!.supplies.length - 1), aim);
};

const coolingFailure: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  const { row } = site.servers[workingServer(aim)!]!;
  const { units, name } = site.rows[row]!;
  const all = chance.is(0.6);
  const stopped = all ? units : [chance.pick(units)];
  const seconds = chance.spread(240, 1500);
  const subjects = stopped.map((id): Subject => ({ kind: 'cooling', id }));
  return {
    family: 'cooling_failure',
    story: `${all ? 'chilled water is lost: all units' : stopped[0]} of ${name} stop for ${minutes(seconds)}`,
    from_s: at_s,
    truth: { root: subjects[0]!, same: subjects.slice(1) },
    start: played({
      once: [true, false].map((off) => [
        off ? at_s : at_s + seconds,
        (state) => {
          for (const subject of subjects) {
            state.rows[row]!.running[units.indexOf(subject.id)] = !off;
            state.note(off ? 'unit_off' : 'unit_on', subject);
          }
        },
      ]),
    }),
  };
};

const fanFailure: Maker = (aim) => {
  const { site, chance, at_s } = aim;
  const server = workingServer(aim, (i) => site.servers[i]!.gpus.length > 0);
  if (server === undefined) return undefined;
  const fan = chance.whole(1, 6);
  const left = chance.between(0.4, 0.7);
  const { name } = site.servers[server]!;
  const part = { subject: { kind: 'cooling' as const, id: `${name}/fan-${fan}` }, part: fan };
  return {
    family: 'fan_failure',
    story: `fan ${fan} of ${name} fails; ${Math.round(left * 100)} % of the air is left`,
    from_s: at_s,
    truth: { root: part.subject, same: [serverSubject(site, server)] },
    start: played({
      once: [
        [
          at_s,
          (state) => {
            state.servers[server]!.fans = left;
            state.noteAt('fan_broken', server, part);
          },
        ],
      ],
    }),
  };
};

export const facilityFaults: readonly Maker[] = [
  utilitySag,
  utilityOutage,
  upsFault,
  upsDeadBattery,
  breakerTrip,
  psuFailure,
  coolingFailure,
  fanFailure,
];
