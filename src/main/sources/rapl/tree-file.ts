import { CPU_FILE, HWMON_FILE, OTHER_FILE, THERMAL_FILE, ZONE_FILE } from './format.ts';

/** Which value of the tree a file contains, and the root folder of the tree. */
export type TreeFile = { readonly base: string } & (
  | { readonly kind: 'zone'; readonly control: string; readonly zone: string; readonly file: string }
  | { readonly kind: 'hwmon'; readonly chip: string; readonly file: string }
  | { readonly kind: 'thermal'; readonly zone: string; readonly file: string }
  | { readonly kind: 'cpu'; readonly cpu: number; readonly file: string }
);

export function treeFile(path: string): TreeFile | undefined {
  const zone = ZONE_FILE.exec(path)?.groups;
  if (zone)
    return {
      kind: 'zone',
      base: zone.base ?? '',
      control: zone.control ?? '',
      zone: (zone.zone ?? '').slice(1).replaceAll('_', ':'),
      file: zone.file ?? '',
    };
  const hwmon = HWMON_FILE.exec(path)?.groups;
  if (hwmon) return { kind: 'hwmon', base: hwmon.base ?? '', chip: hwmon.chip ?? '', file: hwmon.file ?? '' };
  const thermal = THERMAL_FILE.exec(path)?.groups;
  if (thermal) return { kind: 'thermal', base: thermal.base ?? '', zone: thermal.zone ?? '', file: thermal.file ?? '' };
  const cpu = CPU_FILE.exec(path)?.groups;
  if (cpu) return { kind: 'cpu', base: cpu.base ?? '', cpu: Number(cpu.cpu), file: cpu.file ?? '' };
  return undefined;
}

export const belongsToTree = (path: string): boolean => treeFile(path) !== undefined || OTHER_FILE.test(path);
