import type { Fault } from './fault.ts';
import { deploymentEvents } from './kubernetes.ts';
import { physicalFile } from './physical.ts';
import { faultAt_s } from './scene.ts';
import { gpuUuid, MODEL, rackName, serverName } from './site.ts';

/** Share of the full clock under the hardware power brake. */
const BRAKED = 0.3;
/** Seconds from the sag to the brake of the first server. */
const BRAKE_DELAY_S = 3;
/** Heat flow that is left without fans, from the fans of the neighbours. */
const COOLING_WITHOUT_FANS = 0.42;
const HOT = 1;
/** Of the new clients: far more than any answer needs. */
const LARGE_MAX_TOKENS = 4096;
/** Prompts with more own tokens make the new version fail. */
const BROKEN_FROM = 700;

export const OLD_VERSION = '2.4.1';
export const NEW_VERSION = '2.5.0';

const hitRack = rackName(0);

export const powerSag: Fault = {
  conditions:
    (scene, { rack, index }) =>
    (at_s) =>
      rack === hitRack && at_s >= faultAt_s(scene) + BRAKE_DELAY_S + 0.4 * index ? { cap: BRAKED } : {},
  files: ({ scene, replicas }) => [
    physicalFile(scene, [
      {
        after_s: 0,
        source: 'pdu_snmp',
        type: 'voltage_sag',
        severity: 'critical',
        device_id: `PDU-B-${hitRack}`,
        raw_message: 'Input voltage 161.2 V below threshold 207.0 V on all phases',
        metadata: { voltage_v: 161.2, threshold_v: 207, phase: 'L1-L3' },
      },
      ...replicas
        .filter(({ rack }) => rack === hitRack)
        .flatMap(({ server, index }) => [
          {
            after_s: 0.7 + 0.2 * index,
            source: 'redfish',
            type: 'psu_failover',
            severity: 'critical' as const,
            device_id: server,
            raw_message: 'Power supply redundancy lost: PSU-B input lost, PSU-A carries the load',
            metadata: { failed_psu: 'PSU-B', active_psu: 'PSU-A' },
          },
          {
            after_s: BRAKE_DELAY_S + 0.4 * index,
            source: 'nvml',
            type: 'power_cap_applied',
            severity: 'high' as const,
            device_id: gpuUuid(index, 0),
            raw_message: 'Clock event reasons 0x80: hardware power brake',
            metadata: { clocks_event_reasons: '0x80' },
          },
        ]),
    ]),
  ],
  subject: () => `pdu:PDU-B-${hitRack}`,
  cause: () => `feed B of ${hitRack} sags to 161.2 V; its servers brake their GPUs to ${BRAKED * 100} % of the clock`,
};

export const gpuHeat: Fault = {
  conditions:
    (scene, { index }) =>
    (at_s) =>
      index === HOT && at_s >= faultAt_s(scene) ? { cooling: COOLING_WITHOUT_FANS } : {},
  files: ({ scene }) => [
    physicalFile(scene, [
      {
        after_s: 0,
        source: 'redfish',
        type: 'fan_failure',
        severity: 'critical',
        device_id: serverName(HOT),
        raw_message: 'Fan 3A and 3B below lower critical threshold: 0 RPM',
        metadata: { message_id: 'ThermalEvents.1.0.FanFailed', reading_rpm: 0 },
      },
    ]),
  ],
  subject: () => `server:${serverName(HOT)}`,
  cause: () => `the fans of ${serverName(HOT)} stop; ${COOLING_WITHOUT_FANS * 100} % of the heat flow is left`,
};

export const batching: Fault = {
  engine: 'triton',
  conditions: (scene) => (at_s) => (at_s >= faultAt_s(scene) ? { max_tokens: LARGE_MAX_TOKENS } : {}),
  files: () => [],
  subject: () => `service:${MODEL}`,
  cause: () =>
    `clients send max_tokens ${LARGE_MAX_TOKENS} in place of 512: the engine reserves cache for it (guaranteed_no_evict), so that at most 8 of 32 requests run at once`,
};

export const cache: Fault = {
  conditions: (scene) => (at_s) => (at_s >= faultAt_s(scene) ? { hit_chance: 0 } : {}),
  files: () => [],
  subject: () => `service:${MODEL}`,
  cause: () => 'prompts begin with the time of day, so that none shares its first 3000 tokens with another',
};

export const badDeploy: Fault = {
  conditions:
    (scene, { index }) =>
    (at_s) =>
      at_s >= faultAt_s(scene) + 10 * index ? { version: NEW_VERSION, longest_prompt: BROKEN_FROM } : {},
  files: ({ scene, replicas }) => [['kubernetes-events.json', deploymentEvents(scene, replicas, NEW_VERSION)]],
  subject: () => `service:${MODEL}`,
  cause: () =>
    `version ${NEW_VERSION} replaces ${OLD_VERSION}; it fails for prompts of more than ${BROKEN_FROM} own tokens`,
};
