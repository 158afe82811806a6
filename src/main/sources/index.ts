import type { Source } from '../../model/source.ts';
import { awsHealth } from './aws-health/index.ts';
import { azureHealth } from './azure-health/index.ts';
import { cloudwatch } from './cloudwatch/index.ts';
import { gcpHealth } from './gcp-health/index.ts';
import { kernelLog } from './kernel-log/index.ts';
import { kubernetes } from './kubernetes/index.ts';
import { nvsentinel } from './nvsentinel/index.ts';
import { otlpJson } from './otlp-json/index.ts';
import { otlpProtobuf } from './otlp-protobuf/index.ts';
import { parquet } from './parquet/index.ts';
import { powertrace } from './powertrace/index.ts';
import { topologyCsv } from './topology-csv/index.ts';

/** Every format, the most tell-tale first: binary ones come last because their marks are the weakest. */
export const sources: readonly Source[] = [
  parquet,
  kernelLog,
  kubernetes,
  nvsentinel,
  awsHealth,
  azureHealth,
  gcpHealth,
  cloudwatch,
  topologyCsv,
  powertrace,
  otlpJson,
  otlpProtobuf,
];
