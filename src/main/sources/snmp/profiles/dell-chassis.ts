import { code, KILOWATT_HOUR, type Meaning, own, type Profile, reading } from '../profile.ts';

/**
 * Blade chassis: DELL-RAC-MIB (the CMC of an M1000e or VRTX) and DELL-MM-MIB (the management module of an MX7000). Readings
 * are strings with a decimal point; power is reported once per chassis and per supply.
 */
const CMC = '1.3.6.1.4.1.674.10892.2';
const MODULE = '1.3.6.1.4.1.674.10892.6';

const health = { 1: 'other', 2: 'unknown', 3: 'ok', 4: 'nonCritical', 5: 'critical', 6: 'nonRecoverable' };
const asStatus: Meaning = { metric: 'hw.status', map: { 3: 0, 4: 1, 5: 2, 6: 2 } };
const status = (object: string, part: string) => code(object, health, asStatus, { part });

export const dellCmc: Profile = {
  vendor: 'Dell',
  mib: 'DELL-RAC-MIB',
  kind: 'server',
  objectIds: ['674.10892.2'],
  identity: { model: [`${CMC}.1.1.1`], serial: [`${CMC}.1.1.6`] },
  tables: [
    {
      at: `${CMC}.3.1`,
      index: [],
      columns: {
        1: status('drsGlobalCurrStatus', 'chassis'),
        2: status('drsIOMCurrStatus', 'io modules'),
        3: status('drsKVMCurrStatus', 'kvm'),
        4: status('drsRedCurrStatus', 'redundancy'),
        5: status('drsPowerCurrStatus', 'power'),
        6: status('drsFanCurrStatus', 'fans'),
        7: status('drsBladeCurrStatus', 'blades'),
        8: status('drsTempCurrStatus', 'temperature sensors'),
        9: status('drsCMCCurrStatus', 'cmc'),
        10: reading('drsChassisFrontPanelAmbientTemperature', 'hw.temperature', 1, {
          attributes: { sensor: 'front panel' },
        }),
        11: reading('drsCMCAmbientTemperature', 'hw.temperature', 1, { attributes: { sensor: 'cmc ambient' } }),
        12: reading('drsCMCProcessorTemperature', 'hw.temperature', 1, { attributes: { sensor: 'cmc processor' } }),
      },
    },
    {
      at: `${CMC}.4.1.1`,
      index: ['unit'],
      columns: {
        2: own('drsPotentialPower', 'W'),
        3: own('drsIdlePower', 'W'),
        4: reading('drsMaxPowerSpecification', 'hw.power.limit'),
        5: own('drsPowerSurplus', 'W', 1, { signed: true }),
        6: reading('drsKWhCumulative', 'hw.energy', KILOWATT_HOUR),
        8: own('drsWattsPeakUsage', 'W'),
        10: own('drsWattsMinUsage', 'W'),
        13: reading('drsWattsReading', 'hw.power', 1, { limits: { upper_critical: 4 } }),
        14: reading('drsAmpsReading', 'hw.current'),
      },
    },
    {
      at: `${CMC}.4.2.1`,
      index: ['unit', 'psu'],
      name: 3,
      // 1: no supply in this slot.
      when: (row) => row.number(4) !== 1,
      objects: { drsPSULocation: '3', drsPSUMonitoringCapable: '4' },
      columns: {
        5: reading('drsPSUVoltsReading', 'hw.voltage', 1, { attributes: { side: 'input' } }),
        6: reading('drsPSUAmpsReading', 'hw.current', 1, { attributes: { side: 'input' } }),
        7: reading('drsPSUWattsReading', 'hw.power.input'),
      },
    },
  ],
};

export const dellManagementModule: Profile = {
  vendor: 'Dell',
  mib: 'DELL-MM-MIB-SMIv2',
  kind: 'server',
  objectIds: ['674.10892.6'],
  identity: { model: [`${MODULE}.1.1.1`], serial: [`${MODULE}.1.1.6`] },
  tables: [
    { at: `${MODULE}.2`, index: [], columns: { 1: status('dmmGlobalSystemStatus', 'chassis') } },
    {
      at: `${MODULE}.3.1`,
      index: [],
      columns: {
        1: status('dmmIOMCurrStatus', 'io modules'),
        2: status('dmmRedCurrStatus', 'redundancy'),
        3: status('dmmPowerCurrStatus', 'power'),
        4: status('dmmFanCurrStatus', 'fans'),
        5: status('dmmBladeCurrStatus', 'blades'),
        6: status('dmmTempCurrStatus', 'temperature sensors'),
        7: status('dmmMMCurrStatus', 'management modules'),
        8: reading('dmmChassisFrontPanelAmbientTemperature', 'hw.temperature', 1, {
          attributes: { sensor: 'front panel' },
        }),
      },
    },
    {
      at: `${MODULE}.4.1.1`,
      index: ['unit'],
      columns: {
        2: own('dmmPowerIdlePower', 'W'),
        3: reading('dmmPowerKWhCumulative', 'hw.energy', KILOWATT_HOUR),
        5: own('dmmPowerWattsPeakUsage', 'W'),
        7: own('dmmPowerWattsMinUsage', 'W'),
        9: reading('dmmPowerWattsReading', 'hw.power'),
      },
    },
    {
      at: `${MODULE}.4.2.1`,
      index: ['unit', 'psu'],
      name: 3,
      objects: { dmmPSULocation: '3' },
      columns: {
        6: reading('dmmPSUCapacity', 'hw.power.capacity'),
        7: reading('dmmPSUVoltage', 'hw.voltage', 1, { attributes: { side: 'input' } }),
        8: code('dmmPSUCurrStatus', health, asStatus),
      },
    },
  ],
};
