import { type DriverLibrary, SUCCESS } from './driver-library.ts';
import type { SliceReading, Value } from './readings.ts';

/** nvmlDeviceGetMigMode */
const ENABLED = 1;
/** More than a GPU can have (nvmlDeviceGetMaxMigDeviceCount returns 7). */
const MOST_SLICES = 64;

/**
 * The MIG slices of a GPU: its GPU instances, which compute instances share. They can be created and destroyed at any
 * time, so each poll lists them. The driver offers only their memory.
 */
export function slicesOf(library: DriverLibrary, gpu: bigint): SliceReading[] {
  const bytes = Buffer.alloc(64);
  const number = (name: string, handle: bigint): number | undefined =>
    library.call([name], 'hp', handle, bytes) === SUCCESS ? bytes.readUInt32LE(0) : undefined;
  if (library.call(['nvmlDeviceGetMigMode'], 'hpp', gpu, bytes, Buffer.alloc(4)) !== SUCCESS) return [];
  if (bytes.readUInt32LE(0) !== ENABLED) return [];
  const most = Math.min(MOST_SLICES, number('nvmlDeviceGetMaxMigDeviceCount', gpu) ?? 0);
  const slices = new Map<number, SliceReading>();
  for (let at = 0; at < most; at++) {
    if (library.call(['nvmlDeviceGetMigDeviceHandleByIndex'], 'hup', gpu, at, bytes) !== SUCCESS) continue;
    const handle = bytes.readBigUInt64LE(0);
    const instance = number('nvmlDeviceGetGpuInstanceId', handle);
    if (instance === undefined || slices.has(instance)) continue;
    const readText = (what: string) =>
      library.text(96, (room) => library.call([`nvmlDeviceGet${what}`], 'hpu', handle, room, room.length));
    slices.set(instance, {
      instance,
      uuid: readText('UUID'),
      // `NVIDIA H100 80GB HBM3 MIG 1g.10gb`
      profile: /\bMIG (\S+)$/.exec(readText('Name'))?.[1] ?? '',
      values: memoryOf(library, handle, bytes) ?? [],
    });
  }
  return [...slices.values()];
}

/** nvmlMemory_v2_t, whose `used` excludes memory reserved by the driver, else nvmlMemory_t. */
function memoryOf(library: DriverLibrary, handle: bigint, bytes: Buffer): Value[] | undefined {
  bytes.writeUInt32LE(40 | (2 << 24), 0);
  const newer = library.call(['nvmlDeviceGetMemoryInfo_v2'], 'hp', handle, bytes) === SUCCESS;
  if (!newer && library.call(['nvmlDeviceGetMemoryInfo'], 'hp', handle, bytes) !== SUCCESS) return undefined;
  const [total, used] = newer ? [8, 32] : [0, 16];
  return [
    ['memory.used', Number(bytes.readBigUInt64LE(used)), 'By'],
    ['memory.total', Number(bytes.readBigUInt64LE(total)), 'By'],
  ];
}
