import { type Reading, reading } from '../../nvidia/reading.ts';
import { firstOf, gpuNaming, hostNaming, serverSubject } from '../naming.ts';
import type { Labels, Naming, Subject, Surroundings } from '../scraped.ts';
import { type Exported, type Exporter, type Row, readings, type StatedHealth } from './exporter.ts';

/** Tags that change while the sensor stays the same. */
const changing = [
  'health',
  'health_rollup',
  'state',
  'status_code',
  'status_desc',
  'chassis_health',
  'chassis_state',
  'chassis_powerstate',
  'unit',
];
const of = (metric: Reading['metric'], unit: string, attributes?: Readonly<Record<string, string>>): Reading => ({
  ...reading(metric, unit, attributes),
  dropped: changing,
});

/** Units of the input `ipmi_sensor`. */
const ipmiUnits: ReadonlyMap<string, Reading> = new Map([
  ['degrees_c', of('hw.temperature', 'Cel')],
  ['watts', of('hw.power', 'W')],
  ['volts', of('hw.voltage', 'V')],
  ['amps', of('hw.current', 'A')],
  ['rpm', of('hw.fan.speed', 'rpm')],
  ['percent', of('hw.fan.speed_ratio', '%')],
]);
const ipmi: Row = (labels) => {
  const found = ipmiUnits.get(labels.get('unit') ?? '');
  // A share is a fan's only where the sensor's name has it: others are of memory or humidity.
  return found?.metric === 'hw.fan.speed_ratio' && !/fan/i.test(labels.get('name') ?? '') ? undefined : found;
};

/** Names after `redfish_` and the part of the service that it comes from, in both of its models. */
const redfishFields: Readonly<Record<string, Reading>> = {
  temperatures_reading_celsius: of('hw.temperature', 'Cel'),
  fans_reading_rpm: of('hw.fan.speed', 'rpm'),
  fans_reading_percent: of('hw.fan.speed_ratio', '%'),
  voltages_reading_volts: of('hw.voltage', 'V'),
  powercontrol_power_consumed_watts: of('hw.power', 'W'),
  powercontrol_power_capacity_watts: of('hw.power.capacity', 'W'),
  powercontrol_power_allocated_watts: of('hw.power.allocated', 'W'),
  powersupplies_power_input_watts: of('hw.power.input', 'W'),
  powersupplies_power_output_watts: of('hw.power.output', 'W'),
  powersupplies_power_capacity_watts: of('hw.power.capacity', 'W'),
  powersupplies_line_input_voltage: of('hw.voltage', 'V'),
};
const redfishReading = (name: string): Reading | undefined => {
  const field = name.replace(/^redfish_(?:thermal|thermalsubsys|power|powersubsys)_/, '');
  return Object.hasOwn(redfishFields, field) ? redfishFields[field] : undefined;
};

/** `sensors` (lm-sensors), with or without the number of the feature, which its tag has too. */
const sensorFields: readonly (readonly [pattern: RegExp, reading: Reading, name: string])[] = [
  [/^sensors_temp\d*_input$/, of('hw.temperature', 'Cel'), 'sensors_temp1_input'],
  [/^sensors_fan\d*_input$/, of('hw.fan.speed', 'rpm'), 'sensors_fan1_input'],
  [/^sensors_in\d*_input$/, of('hw.voltage', 'V'), 'sensors_in1_input'],
  [/^sensors_curr\d*_input$/, of('hw.current', 'A'), 'sensors_curr1_input'],
  [/^sensors_power\d*_(?:input|average)$/, of('hw.power', 'W'), 'sensors_power1_average'],
];

const names: Readonly<Record<string, Row>> = {
  ipmi_sensor_value: ipmi,
  ipmi_sensor: ipmi,
  temp_temp: of('hw.temperature', 'Cel'),
  amd_rocm_smi_temperature_sensor_edge: of('hw.temperature', 'Cel', { sensor: 'edge' }),
  amd_rocm_smi_temperature_sensor_junction: of('hw.temperature', 'Cel', { sensor: 'junction' }),
  amd_rocm_smi_temperature_sensor_memory: of('hw.gpu.memory.temperature', 'Cel'),
  amd_rocm_smi_power_draw: of('hw.power', 'W'),
  amd_rocm_smi_utilization_gpu: of('hw.gpu.utilization', '%'),
  amd_rocm_smi_utilization_memory: of('hw.gpu.memory.utilization', '%'),
  amd_rocm_smi_memory_used: of('hw.gpu.memory.usage', 'By'),
  amd_rocm_smi_memory_total: of('hw.gpu.memory.limit', 'By'),
  amd_rocm_smi_clocks_current_sm: of('hw.gpu.clock.sm', 'MHz'),
  amd_rocm_smi_clocks_current_memory: of('hw.gpu.clock.memory', 'MHz'),
  amd_rocm_smi_fan_speed: of('hw.fan.speed_ratio', '%'),
};
const rows = readings(names);

/** The tag `gpu_id` is the model there, `name` the card. */
const amdNaming = (name: string, labels: Labels, surroundings: Surroundings): Naming | undefined =>
  gpuNaming(name, labels, surroundings, {
    uuid: ['gpu_unique_id'],
    isFreeUuid: true,
    index: ['gpu_index'],
    local: ['name'],
    model: [],
    used: ['gpu_unique_id', 'gpu_id', 'name'],
  });

/** The machine that was asked stands before the one that asked. */
function askedNaming(labels: Labels, surroundings: Surroundings): Naming {
  const asked = firstOf(labels, 'server', 'source', 'agent_host', 'address');
  if (asked === '') return hostNaming(labels, surroundings);
  const used = new Set(['server', 'source', 'agent_host', 'address', 'hostname', 'host']);
  return { subject: serverSubject(asked), relations: [], used };
}

/** Redfish Status.Health and, of a component without one, Status.State. */
const healths: ReadonlyMap<string, number> = new Map([
  ['ok', 0],
  ['warning', 1],
  ['critical', 2],
  ['enabled', 0],
  ['unavailableoffline', 2],
]);
/** Components that have a kind of their own, by the middle of the names. */
const components: readonly (readonly [words: RegExp, kind: 'psu' | 'cooling'])[] = [
  [/_powersupplies_/, 'psu'],
  [/_fans_/, 'cooling'],
];

/** The input `redfish` tags each reading with the health of its component. */
function statedHealth({ name, labels }: Exported, surroundings: Surroundings): StatedHealth | undefined {
  const status = healths.get(firstOf(labels, 'health', 'state').toLowerCase());
  const component = labels.get('name') ?? '';
  if (!name.startsWith('redfish_') || status === undefined || component === '') return undefined;
  const machine = askedNaming(labels, surroundings);
  const kind = components.find(([words]) => words.test(name))?.[1];
  if (kind === undefined || machine.subject.id === '') return undefined;
  const subject: Subject = { kind, id: `${machine.subject.id}/${component}`, attributes: { name: component } };
  return {
    subject,
    relations: [{ from: machine.subject, kind: 'contains', to: subject }],
    used: machine.used,
    status,
  };
}

/**
 * Inputs of Telegraf 1.3x for hardware, by the names `measurement_field` (each plugin's page under
 * https://docs.influxdata.com/telegraf/v1/input-plugins/). Its `nvidia_smi` has the names of nvidia-smi.
 */
export const telegraf: Exporter = {
  title: 'Telegraf 1.3x (ipmi_sensor, redfish, sensors, temp, amd_rocm_smi)',
  names: [
    ...Object.keys(names),
    ...Object.keys(redfishFields).map(
      (field) => `redfish_${field.startsWith('power') || field.startsWith('volt') ? 'power' : 'thermal'}_${field}`,
    ),
    ...sensorFields.map(([, , name]) => name),
  ],
  owns: (name) => /^(?:ipmi_sensor|redfish_|sensors_|amd_rocm_smi_|temp_temp$)/.test(name),
  reading: (series) =>
    series.name.startsWith('redfish_')
      ? redfishReading(series.name)
      : (sensorFields.find(([pattern]) => pattern.test(series.name))?.[1] ?? rows(series)),
  naming: ({ name, labels }, surroundings) =>
    (name.startsWith('amd_') ? amdNaming(name, labels, surroundings) : undefined) ?? askedNaming(labels, surroundings),
  health: statedHealth,
};
