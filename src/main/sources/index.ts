import type { Source } from '../../model/storage/source.ts';
import { applicationLog } from './application-log/index.ts';
import { awsHealth } from './aws-health/index.ts';
import { azureHealth } from './azure-health/index.ts';
import { chromeTrace } from './chrome-trace/index.ts';
import { cloudwatch } from './cloudwatch/index.ts';
import { dcgm } from './dcgm/index.ts';
import { flightRecorder } from './flight-recorder/index.ts';
import { gcpHealth } from './gcp-health/index.ts';
import { handWritten } from './hand-written/index.ts';
import { influxLine } from './influx-line/index.ts';
import { ingeroSqlite } from './ingero-sqlite/index.ts';
import { jaegerJson } from './jaeger-json/index.ts';
import { kernelLog } from './kernel-log/index.ts';
import { kubernetes } from './kubernetes/index.ts';
import { logAnswers } from './log-answers/index.ts';
import { logCsv } from './log-csv/index.ts';
import { netbox } from './netbox/index.ts';
import { nvidiaSmi } from './nvidia-smi/index.ts';
import { nvidiaTopology } from './nvidia-topology/index.ts';
import { nvsentinel } from './nvsentinel/index.ts';
import { otlpJson } from './otlp-json/index.ts';
import { otlpProtobuf } from './otlp-protobuf/index.ts';
import { parquet } from './parquet/index.ts';
import { powertrace } from './powertrace/index.ts';
import { prometheus } from './prometheus/index.ts';
import { prometheusJson } from './prometheus-json/index.ts';
import { prometheusRemoteWrite } from './prometheus-remote-write/index.ts';
import { rapl } from './rapl/index.ts';
import { redfish } from './redfish/index.ts';
import { rocmSmi } from './rocm-smi/index.ts';
import { sampleCsv } from './sample-csv/index.ts';
import { snmpTraps } from './snmp-traps/index.ts';
import { snmpWalk } from './snmp-walk/index.ts';
import { topologyCsv } from './topology-csv/index.ts';
import { zipkinJson } from './zipkin-json/index.ts';

/** Every format. The more distinctive formats come first; bare protobuf is the least distinctive. */
export const sources: readonly Source[] = [
  parquet,
  ingeroSqlite,
  handWritten,
  kernelLog,
  snmpWalk,
  snmpTraps,
  redfish,
  rapl,
  nvidiaSmi,
  rocmSmi,
  dcgm,
  prometheus,
  prometheusJson,
  kubernetes,
  nvsentinel,
  awsHealth,
  azureHealth,
  gcpHealth,
  cloudwatch,
  flightRecorder,
  jaegerJson,
  zipkinJson,
  chromeTrace,
  netbox,
  nvidiaTopology,
  topologyCsv,
  influxLine,
  logAnswers,
  logCsv,
  sampleCsv,
  applicationLog,
  powertrace,
  otlpJson,
  prometheusRemoteWrite,
  otlpProtobuf,
];
