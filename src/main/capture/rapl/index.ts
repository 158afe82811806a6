import { readdir, readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { fail } from '../../../model/problem.ts';
import { BatchBuilder } from '../../../model/rows/batch-builder.ts';
import { rowCount } from '../../../model/rows/rows.ts';
import type { Feed } from '../../../model/storage/feed.ts';
import { HostEntities } from '../../sources/rapl/host-entities.ts';
import type { Snapshot, TreeValue, Zone } from '../../sources/rapl/snapshot.ts';
import { newMemory, ZoneRows } from '../../sources/rapl/zone-rows.ts';
import { burstOf, burstSchema, pollingOf } from '../burst.ts';
import { failed, passed } from '../connection-checks.ts';
import type { FeedKind } from '../feed-kind.ts';
import { reportChangesOnly } from '../feed-state.ts';
import { localPathSchema } from '../plan/local-path.ts';
import { PollSchedule } from '../poll-schedule.ts';
import { steadyNanos } from '../steady-clock.ts';

export const raplPlanSchema = z
  .strictObject({
    kind: z.literal('rapl'),
    name: z.string().min(1).max(200).default('RAPL').describe('name of its data source'),
    /** The kernel's power capping tree (Documentation/power/powercap/powercap.rst). */
    root: localPathSchema.default('/sys/class/powercap'),
    every_s: z.number().min(0.1).max(3600).default(1).describe('read interval in seconds'),
    burst: burstSchema,
    /** Name of this machine; null: its host name. */
    host: z.string().min(1).max(200).nullable().default(null).describe('name of this machine; null: its host name'),
  })
  .meta({ title: 'RAPL', description: "energy, power and power limits of this machine's own processors" });

/** Energy, power and power limits of this machine's processors; uses the decoder for copies of the same tree. */
export const raplFeed: FeedKind<typeof raplPlanSchema> = {
  kind: 'rapl',
  plan: raplPlanSchema,
  open: ({ name, root, every_s, burst, host }): Feed => ({
    name,
    burst: burstOf(burst, every_s),
    format: 'rapl-live',
    stampedBy: 'here',
    about: root,
    async run(sink, signal) {
      const builder = new BatchBuilder();
      const rows = new ZoneRows(builder, new HostEntities(builder, host ?? hostname()), newMemory());
      if ((await zonesOf(root)).length === 0)
        fail('feed.no_rapl', `${root} has no power zones`, {
          hint: 'processors without RAPL, virtual machines and containers without /sys have none',
          place: root,
        });
      const reportState = reportChangesOnly(sink);
      const schedule = new PollSchedule();
      while (!signal.aborted) {
        const snapshot = await readSnapshot(root);
        if (snapshot.zones.size === 0) reportState('down', `${root} no longer has power zones`);
        else {
          const [state, reason] = stateOf(snapshot);
          reportState(state, reason);
          rows.append(snapshot);
          const batch = builder.finish(0);
          if (!sink.take([batch])) sink.lost(rowCount(batch), 'writing was too slow: rows were dropped');
        }
        await schedule.rest(pollingOf({ every_s, burst }) * 1000, signal, (late_ms) => sink.missed?.(late_ms));
      }
    },
  }),
  async *test({ root }) {
    const zones = await zonesOf(root);
    if (zones.length === 0) {
      const none = 'processors without RAPL, virtual machines and containers without /sys have none';
      yield failed('values', `${root} has no power zones`, none);
      return;
    }
    const unreadable = await unreadableOf(root, zones);
    if (unreadable.length > 0) {
      const hint = 'on most systems only root may read energy counters: run as root, or give this user read permission';
      yield failed('view', `this user may not read energy_uj of ${unreadable.join(', ')}`, hint);
      return;
    }
    yield passed('view', 'this user may read the energy of every zone');
    yield passed('values', `${zones.length} power zones`);
  },
};

/** On many systems all users may read the limits, but only root the energy: that is not enough for power. */
function stateOf({ zones }: Snapshot): readonly ['up' | 'down', string] {
  const energies = [...zones.values()].map(({ files }) => files.get('energy_uj')?.text);
  const read = energies.filter((text) => text !== undefined && text !== 'permission denied').length;
  if (read === zones.size) return ['up', `${read} zones`];
  if (read > 0) return ['up', `${zones.size} zones, the energy of ${read} can be read`];
  return energies.includes('permission denied')
    ? ['down', 'this user may not read energy_uj of any zone']
    : ['down', 'no zone reports its energy'];
}

async function unreadableOf(root: string, zones: readonly string[]): Promise<string[]> {
  const readable = await Promise.all(
    zones.map((zone) =>
      readFile(join(root, zone, 'energy_uj')).then(
        () => true,
        (error: NodeJS.ErrnoException) => error.code !== 'EACCES' && error.code !== 'EPERM',
      ),
    ),
  );
  return zones.filter((_, at) => !readable[at]);
}

const ZONE = /^(intel-rapl|intel-rapl-mmio|amd-rapl|[a-z]+-rapl):([0-9a-f]+(?::[0-9a-f]+)?)$/;
const FILES =
  /^(name|enabled|energy_uj|max_energy_range_uj|constraint_\d_(name|power_limit_uw|time_window_us|max_power_uw))$/;

const zonesOf = async (root: string): Promise<string[]> =>
  (await readdir(root).catch(() => [])).filter((name) => ZONE.test(name));

async function readSnapshot(root: string): Promise<Snapshot> {
  const zones = new Map<string, Zone>();
  for (const folder of await zonesOf(root)) {
    const [, control = '', id = ''] = ZONE.exec(folder) ?? [];
    const files = new Map<string, TreeValue>();
    for (const file of (await readdir(join(root, folder)).catch(() => [])).filter((name) => FILES.test(name))) {
      const path = `${folder}/${file}`;
      const text = await readFile(join(root, path), 'utf8').catch((error: NodeJS.ErrnoException) =>
        error.code === 'EACCES' || error.code === 'EPERM' ? 'permission denied' : '',
      );
      files.set(file, { text: text.trim(), time_ns: steadyNanos(), path });
    }
    zones.set(`${control}:${id}`, { control, id, files });
  }
  return { zones, chips: new Map(), thermal: new Map(), cpus: new Map() };
}
