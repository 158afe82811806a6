import { type Aim, type Fault, type Maker, played, workingServer } from './fault.ts';
import { psuFailureAt } from './faults-facility.ts';
import { workingOf } from './simulate.ts';
import { gpuOf, type State, type Subject } from './state.ts';

/**
 * Things that look like trouble. They are as real as the faults, and run through the same physics: whether they did harm
 * is found out by leaving them out.
 */
const noted = (aim: Aim, story: string, root: Subject, note: (state: State) => void): Fault => ({
  family: 'scare',
  story,
  from_s: aim.at_s,
  truth: { root, same: [] },
  start: played({ once: [[aim.at_s, note]] }),
});

/** A machine without work, else any. */
function otherServer({ site, chance }: Aim): number {
  const working = new Set(workingOf(site));
  const idle = site.servers.map((_, i) => i).filter((i) => !working.has(i));
  return idle.length > 0 ? chance.pick(idle) : chance.whole(0, site.servers.length - 1);
}

const selfTest: Maker = (aim) => {
  const [ups] = aim.site.upses;
  if (!ups) return undefined;
  const subject = { kind: 'ups' as const, id: aim.chance.pick(aim.site.upses).name };
  return noted(aim, `${subject.id} tests its battery`, subject, (state) => state.note('ups_test', subject));
};

const supplyElsewhere: Maker = (aim) => psuFailureAt(otherServer(aim), 0, aim);

const sparePort: Maker = (aim) => {
  const { site, chance } = aim;
  const leaf = chance.whole(0, site.leaves.length - 1);
  const subject: Subject = { kind: 'port', id: `${site.leaves[leaf]!.name}/port-${chance.whole(49, 54)}` };
  const port = Number(subject.id.split('-').at(-1));
  return noted(aim, `an unused port, ${subject.id}, goes down`, subject, (state) =>
    state.note('spare_port_down', subject, { values: { leaf: site.leaves[leaf]!.name, port } }),
  );
};

const wrongCommunity: Maker = (aim) => {
  const subject: Subject = { kind: 'pdu', id: aim.chance.pick(aim.site.pdus).name };
  return noted(aim, `a scanner asks ${subject.id} with a wrong community`, subject, (state) =>
    state.note('wrong_community', subject),
  );
};

const correctedMemory: Maker = (aim) => {
  const server = workingServer(aim)!;
  const subject: Subject = { kind: 'server', id: aim.site.servers[server]!.name };
  return noted(aim, `${subject.id} corrects memory errors`, subject, (state) =>
    state.noteAt('memory_corrected', server),
  );
};

const harmlessXid: Maker = (aim) => {
  const server = otherServer(aim);
  const { gpus, name } = aim.site.servers[server]!;
  if (gpus.length === 0) return undefined;
  const gpu = gpuOf(aim.site, server, aim.chance.pick(gpus).index);
  const xid = aim.chance.pick([13, 31, 43, 63]);
  return noted(aim, `Xid ${xid} of a GPU of ${name}: somebody's program, or a row remapped`, gpu.subject, (state) =>
    state.noteAt('xid', server, gpu, { xid }),
  );
};

const drainElsewhere: Maker = (aim) => {
  const server = otherServer(aim);
  if (workingOf(aim.site).includes(server)) return undefined;
  const subject: Subject = { kind: 'node', id: aim.site.servers[server]!.name };
  return noted(aim, `planned work: ${subject.id} is cordoned and drained`, subject, (state) =>
    state.note('drained', subject, { server }),
  );
};

const harmlessDeploy: Maker = (aim) => {
  const subject: Subject = { kind: 'service', id: aim.chance.pick(aim.site.services).name };
  const fault = noted(aim, `a new version of ${subject.id} that is as good as the old one`, subject, (state) =>
    state.note('deployed', subject, { values: { version: 3 } }),
  );
  return { ...fault, truth: { service: subject.id } };
};

const idleCrash: Maker = (aim) => {
  const server = otherServer(aim);
  if (workingOf(aim.site).includes(server)) return undefined;
  const subject: Subject = { kind: 'server', id: aim.site.servers[server]!.name };
  return noted(aim, `${subject.id}, which does nothing, loses its power`, subject, (state) => {
    for (const supply of state.servers[server]!.supplies) supply.broken = true;
  });
};

export const scares: readonly Maker[] = [
  selfTest,
  supplyElsewhere,
  sparePort,
  wrongCommunity,
  correctedMemory,
  harmlessXid,
  drainElsewhere,
  harmlessDeploy,
  idleCrash,
];
