/**
 * Linux power capping (https://docs.kernel.org/power/powercap/powercap.html) and the trees that are copied with it:
 * hwmon (https://docs.kernel.org/hwmon/sysfs-interface.html), thermal zones, throttle counters of CPUs.
 * Every file contains one value; the path identifies it.
 */

/**
 * `intel-rapl:0`, `intel-rapl:0:1`, `intel-rapl-mmio:0`; suffixes are hexadecimal. AMD's driver uses the same names.
 * Tools that unpack archives where file names cannot have a colon write `_` for it.
 */
export const ZONE_FILE =
  /^(?<base>.*?)(?:^|\/)(?:(?:sys\/)?(?:class|devices\/virtual)\/)?(?:powercap\/)?(?:intel-rapl(?:-mmio)?\/)?(?:[a-z-]+[:_][0-9a-f]{1,4}\/)*(?<control>intel-rapl(?:-mmio)?|amd-rapl)(?<zone>(?:[:_][0-9a-f]{1,4}){1,2})\/(?<file>name|enabled|energy_uj|max_energy_range_uj|constraint_\d_(?:name|power_limit_uw|max_power_uw|time_window_us))$/;
export const HWMON_FILE =
  /^(?<base>.*?)(?:^|\/)(?:(?:sys\/)?class\/)?hwmon\/(?<chip>hwmon\d{1,4})\/(?<file>name|(?:temp|power|in|fan|curr|energy)\d{1,3}_(?:input|average|label|max|crit|min|lcrit))$/;
export const THERMAL_FILE =
  /^(?<base>.*?)(?:^|\/)(?:(?:sys\/)?class\/)?thermal\/(?<zone>thermal_zone\d{1,4})\/(?<file>type|temp)$/;
export const CPU_FILE =
  /^(?<base>.*?)(?:^|\/)(?:(?:sys\/)?devices\/system\/)?cpu\/cpu(?<cpu>\d{1,5})\/(?<file>thermal_throttle\/(?:core|package)_throttle_count|topology\/physical_package_id)$/;

/** Files of the same folders that are not read; they still belong to the recording. */
export const OTHER_FILE =
  /(?:^|\/)(?:powercap\/(?:.*\/)?(?:intel-rapl[^/]*\/)+(?:uevent|enabled|power\/.*)|hwmon\/hwmon\d{1,4}\/[\w-]+|thermal_throttle\/\w+)$/;

/** File contents that only such a tree has: they identify a tree by content. */
export const TREE_WORD = /^(package-\d{1,4}(-die-\d{1,3})?|long_term|short_term|peak_power)$/;

/**
 * A limit of the register's full scale (15 bits of an eighth of a watt) or close to it means "none":
 * 4 090 W where the part takes 95 W.
 */
export const NO_LIMIT_W = 4_000;
/** More than any package draws: a counter that was reset, not one that wrapped. */
export const IMPOSSIBLE_W = 4_000;
