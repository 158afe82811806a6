import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { memoryCore, temporaryFolder } from '../support/core.ts';

const topology = 'from_kind,from_id,edge,to_kind,to_id,valid_from,valid_to\nserver,node-1,contains,gpu,GPU-1111,,\n';
const dcgm = `# TYPE DCGM_FI_DEV_GPU_TEMP gauge
DCGM_FI_DEV_GPU_TEMP{gpu="0",UUID="GPU-1111",modelName="NVIDIA H100 80GB HBM3",Hostname="node-1"} 61 1777644600000
`;

test.each([
  ['topology.csv', 'dcgm.prom'],
  ['dcgm.prom', 'topology.csv'],
])('the model of a GPU is known when %s is opened before %s', async (first, second) => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'topology.csv'), topology);
  await writeFile(join(folder, 'dcgm.prom'), dcgm);
  const core = await memoryCore();
  await core.import([join(folder, first)]);
  await core.import([join(folder, second)]);
  const { rows } = await core.api['query.sql']({
    sql: "select id, json_extract_string(attributes, '$.model') as model from entity where kind = 'gpu'",
  });
  expect(rows).toEqual([['GPU-1111', 'NVIDIA H100 80GB HBM3']]);
});
