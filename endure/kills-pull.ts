import { access, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { samplePlan, samplesOf } from '../test/support/sample-answers.ts';
import { cli, faultline } from './faultline.ts';
import { query, rowsIn } from './kills-content.ts';
import type { KillTarget, KillWorld, Place, PreparedKills } from './kills-target.ts';
import { startVictim } from './kills-victim.ts';

/** Slices of a minute, each with five series at every 15 s. */
const WINDOW = ['--from', '2026-05-01T14:00:00Z', '--to', '2026-05-01T14:15:00Z'];
const SAMPLES = 20;

/** The command line that pulls a window out of an archive into a case that is made by it. */
export const pullKills: KillTarget = { kills: 30, prepare };

interface Pulled {
  readonly samples: number;
  readonly slices: number;
  readonly sources: number;
  readonly hash: string;
}

const CONTENT = `select count(*)::integer as samples, (select count(*)::integer from pulled) as slices, (select count(*)::integer from source) as sources,
  coalesce(bit_xor(hash(time_ns, entity, metric, value, attributes)), 0)::varchar as hash from metrics`;

async function prepare({ folder }: KillWorld): Promise<PreparedKills> {
  const plan = join(folder, 'archive.yaml');
  await writeFile(plan, samplePlan(await archive()));
  const pull = (path: string): readonly string[] => ['pull', path, plan, ...WINDOW];
  const whole = join(folder, 'undisturbed.faultline');
  const made = await faultline(pull(whole));
  if (made.code !== 0) throw new Error(made.err);
  const wanted = await pulledIn(whole);
  const left = new Set<number>();
  const begin = async ({ folder: own, env }: Place) => {
    const path = join(own, 'case.faultline');
    const victim = startVictim([cli, ...pull(path)], env);
    const check = async (): Promise<string[]> => {
      const wrong: string[] = [];
      const reported = victim.lines().filter((line) => line.startsWith('imported ')).length;
      const found = (await isThere(join(path, 'case.duckdb'))) ? await pulledOf(path, env) : NOTHING;
      left.add(found.slices);
      if (found.slices < reported) wrong.push(`${reported} slices reported, ${found.slices} there`);
      if (found.sources !== found.slices || found.samples !== SAMPLES * found.slices)
        wrong.push(`not whole slices: ${JSON.stringify(found)}`);
      const again = await faultline(pull(path), env);
      if (again.code !== 0) wrong.push(`cannot be continued: ${again.err.slice(0, 300)}`);
      else {
        const after = JSON.stringify(await pulledIn(path));
        if (after !== JSON.stringify(wanted)) wrong.push(`continued, not as undisturbed: ${after}`);
      }
      return wrong;
    };
    return { victim, check };
  };
  return { begin, figures: () => [`cases of ${[...left].sort((a, b) => a - b).join(', ')} slices were left`] };
}

const NOTHING: Pulled = { samples: 0, slices: 0, sources: 0, hash: '' };

async function pulledOf(path: string, env: Place['env']): Promise<Pulled> {
  const [found] = await query<Pulled>(path, CONTENT, env);
  return found ?? NOTHING;
}

/** Of a case that a command has opened since. */
async function pulledIn(path: string): Promise<Pulled> {
  const [found] = await rowsIn<Pulled>(path, CONTENT);
  return found ?? NOTHING;
}

/** Its address; it ends with this process. */
async function archive(): Promise<string> {
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += chunk));
    request.on('end', () => response.end(samplesOf(body)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
