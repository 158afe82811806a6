import { metrics } from '../../../../model/telemetry/metric.ts';
import { type Reading, reading } from '../../nvidia/reading.ts';
import { hostNaming } from '../naming.ts';
import { type Exporter, readings } from './exporter.ts';

const of = (metric: keyof typeof metrics, zone?: string): Reading =>
  reading(metric, metrics[metric].unit, zone === undefined ? undefined : { zone });

/**
 * node_exporter 1.9 (https://github.com/prometheus/node_exporter) and ipmi_exporter 1.10
 * (https://github.com/prometheus-community/ipmi_exporter): names with a common metric. All others keep their name.
 */
const hostNames: Readonly<Record<string, Reading>> = {
  node_hwmon_temp_celsius: of('hw.temperature'),
  node_hwmon_power_watt: of('hw.power'),
  node_hwmon_power_average_watt: of('hw.power'),
  node_hwmon_fan_rpm: of('hw.fan.speed'),
  node_hwmon_in_volts: of('hw.voltage'),
  node_hwmon_curr_amps: of('hw.current'),
  node_hwmon_energy_joule_total: of('hw.energy'),
  node_hwmon_humidity: of('hw.humidity'),
  node_thermal_zone_temp: of('hw.temperature'),
  node_rapl_package_joules_total: of('hw.energy', 'package'),
  node_rapl_core_joules_total: of('hw.energy', 'core'),
  node_rapl_uncore_joules_total: of('hw.energy', 'uncore'),
  node_rapl_dram_joules_total: of('hw.energy', 'dram'),
  node_rapl_psys_joules_total: of('hw.energy', 'psys'),
  node_cpu_core_throttles_total: of('hw.cpu.throttle', 'core'),
  node_cpu_package_throttles_total: of('hw.cpu.throttle', 'package'),
  node_network_up: of('hw.link.state'),
  ipmi_temperature_celsius: of('hw.temperature'),
  ipmi_fan_speed_rpm: of('hw.fan.speed'),
  ipmi_fan_speed_ratio: reading('hw.fan.speed_ratio', '1'),
  ipmi_voltage_volts: of('hw.voltage'),
  ipmi_current_amperes: of('hw.current'),
  ipmi_power_watts: of('hw.power'),
  ipmi_dcmi_power_consumption_watts: of('hw.power'),
};

/** Metrics of machines. */
export const hosts: Exporter = {
  title: 'node_exporter 1.9, ipmi_exporter 1.10',
  names: Object.keys(hostNames),
  owns: (name) => /^(?:node|ipmi)_/.test(name),
  reading: readings(hostNames),
  naming: ({ labels }, surroundings) => hostNaming(labels, surroundings),
};
