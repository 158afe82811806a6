import type { Wording } from './wording.ts';

/** Linux' own words (mce, EDAC, AER, oom-killer, hung_task), and those that controllers and switches use for the same. */
export const machineWordings: readonly Wording[] = [
  {
    types: ['machine_check', 'memory_error', 'ecc_error', 'pcie_error'],
    words: /(?<!\b(?:un-?|(?:not|cannot) (?:be )?))\bcorrect(?:ed|able)\b/i,
    means: 'corrected',
  },
  {
    types: ['host_degradation', 'process_event', 'node_condition', 'host_rebooted'],
    words: /panic|lockup|\bOops\b|KernelOops|KernelDeadlock|critical stop|blue ?screen|bug ?check/i,
    means: 'kernel_crash',
  },
  {
    types: ['snmp_trap'],
    words: /\b(?:cold|warm) ?start|\bagent (?:was )?(?:re)?(?:started|initiali[sz]ed)\b/i,
    means: 'agent_restarted',
  },
  { types: ['process_event'], words: /blocked for more than \d+ seconds/, means: 'hung_task' },
  { types: ['mount_failed', 'host_degradation'], words: /I\/O error|timeout|mount/i, means: 'storage_error' },
  { types: ['out_of_memory', 'pod_oom_killed'], words: /cgroup|MEMCG/i, means: 'container_limit' },
  {
    types: ['link_down', 'link_flap', 'outlet_off'],
    words: /\b(?:unused|(?<!\bno )spare|out-of-band|oob|management (?:port|interface))\b/i,
    means: 'unused_link',
  },
  {
    // Ports in the plural, or a range or list of them.
    types: ['link_down', 'link_flap'],
    words: /\bports\b|\bports? +\d+ *(?:-|,|to\b|and\b)/i,
    means: 'several_ports',
  },
];
