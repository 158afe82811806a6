import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type DemoScenario, scenarioLimits } from '../../../model/demo-scenario.ts';
import { timeAt } from '../incident.ts';
import { generateHang } from './hang.ts';
import type { Generated, Scene } from './scene.ts';
import { generateServing } from './serving.ts';
import { badDeploy, batching, cache, gpuHeat, powerSag } from './serving-faults.ts';
import { generateWornParts } from './worn-parts.ts';

const SEED = 20260314;

const generators: Readonly<Record<DemoScenario, (scene: Scene) => Generated>> = {
  'power-sag': (scene) => generateServing(scene, powerSag),
  'gpu-heat': (scene) => generateServing(scene, gpuHeat),
  batching: (scene) => generateServing(scene, batching),
  cache: (scene) => generateServing(scene, cache),
  'bad-deploy': (scene) => generateServing(scene, badDeploy),
  hang: generateHang,
  'worn-parts': generateWornParts,
};

export interface WrittenScenario {
  /** Paths in the order they are best imported; a folder holds files that belong together. */
  readonly paths: readonly string[];
  readonly files: number;
  readonly truth: { readonly time: string; readonly subject: string; readonly lines: readonly string[] };
}

/** Writes the files of a scenario as a site would hand them over. The same numbers write the same bytes. */
export async function writeScenario(
  directory: string,
  scenario: DemoScenario,
  { rate = scenarioLimits.rate.normal, minutes = scenarioLimits.minutes.normal, seed = SEED }: Partial<Scene> = {},
): Promise<WrittenScenario> {
  const { files, truth } = generators[scenario]({ rate, minutes, seed });
  for (const [name, text] of files) {
    const path = join(directory, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, name.endsWith('.gz') ? gzipSync(text, { level: 6 }) : text);
  }
  const paths = new Set([...files.keys()].map((name) => join(directory, name.split('/')[0]!)));
  const { at_s, subject, lines } = truth;
  return { paths: [...paths], files: files.size, truth: { time: timeAt(at_s), subject, lines } };
}
