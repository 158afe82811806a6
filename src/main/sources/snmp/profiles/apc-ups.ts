import { code, KILOWATT_HOUR, type Meaning, own, type Profile, reading, TICK } from '../profile.ts';

/** PowerNet-MIB upsBasic, upsAdv and upsHighPrec, FORMATS 2.1.3. */
const B = '1.3.6.1.4.1.318.1.1.1';

/** upsBasicBatteryStatus: 4 is a fault here; in RFC 1628 it is "depleted". */
const battery: Meaning = { metric: 'hw.battery.state', map: { 1: 1, 2: 2, 3: 3, 4: 5, 5: 6 } };
const outputSource: Meaning = {
  metric: 'hw.ups.output_source',
  map: { 2: 3, 3: 5, 4: 6, 5: 2, 6: 4, 7: 2, 8: 2, 9: 4, 10: 4, 11: 2, 12: 7, 13: 3, 14: 3, 15: 5, 16: 4 },
};
const input = { side: 'input' };
const output = { side: 'output' };

export const apcUps: Profile = {
  vendor: 'APC',
  mib: 'PowerNet-MIB',
  kind: 'ups',
  objectIds: ['318.1.3.1', '318.1.3.2', '318.1.3.3', '318.1.3.5', '318.1.3.27', '318.1.3.33'],
  identity: { model: [`${B}.1.1.1`], serial: [`${B}.1.2.3`] },
  tables: [
    {
      at: B,
      index: [],
      columns: {
        '2.1.1': code(
          'upsBasicBatteryStatus',
          { 1: 'unknown', 2: 'batteryNormal', 3: 'batteryLow', 4: 'batteryInFaultCondition', 5: 'noBatteryPresent' },
          battery,
        ),
        '2.1.2': reading('upsBasicBatteryTimeOnBattery', 'hw.battery.time_on', TICK),
        '2.2.1': reading('upsAdvBatteryCapacity', 'hw.battery.charge'),
        '2.2.2': reading('upsAdvBatteryTemperature', 'hw.battery.temperature'),
        '2.2.3': reading('upsAdvBatteryRunTimeRemaining', 'hw.battery.time_left', TICK),
        '2.2.4': code('upsAdvBatteryReplaceIndicator', { 1: 'noBatteryNeedsReplacing', 2: 'batteryNeedsReplacing' }),
        '2.2.5': own('upsAdvBatteryNumOfBattPacks', '{pack}'),
        '2.2.6': own('upsAdvBatteryNumOfBadBattPacks', '{pack}'),
        '2.2.8': reading('upsAdvBatteryActualVoltage', 'hw.battery.voltage'),
        '2.3.1': reading('upsHighPrecBatteryCapacity', 'hw.battery.charge', 0.1),
        '2.3.2': reading('upsHighPrecBatteryTemperature', 'hw.battery.temperature', 0.1),
        '2.3.4': reading('upsHighPrecBatteryActualVoltage', 'hw.battery.voltage', 0.1),
        '3.2.1': reading('upsAdvInputLineVoltage', 'hw.voltage', 1, { attributes: input }),
        '3.2.4': reading('upsAdvInputFrequency', 'hw.frequency', 1, { attributes: input }),
        '3.2.5': code('upsAdvInputLineFailCause', {
          1: 'noTransfer',
          2: 'highLineVoltage',
          3: 'brownout',
          4: 'blackout',
          5: 'smallMomentarySag',
          6: 'deepMomentarySag',
          7: 'smallMomentarySpike',
          8: 'largeMomentarySpike',
          9: 'selfTest',
          10: 'rateOfVoltageChange',
        }),
        '3.3.1': reading('upsHighPrecInputLineVoltage', 'hw.voltage', 0.1, { attributes: input }),
        '3.3.4': reading('upsHighPrecInputFrequency', 'hw.frequency', 0.1, { attributes: input }),
        '4.1.1': code(
          'upsBasicOutputStatus',
          {
            1: 'unknown',
            2: 'onLine',
            3: 'onBattery',
            4: 'onSmartBoost',
            5: 'timedSleeping',
            6: 'softwareBypass',
            7: 'off',
            8: 'rebooting',
            9: 'switchedBypass',
            10: 'hardwareFailureBypass',
            11: 'sleepingUntilPowerReturn',
            12: 'onSmartTrim',
            13: 'ecoMode',
            14: 'hotStandby',
            15: 'onBatteryTest',
            16: 'emergencyStaticBypass',
            17: 'staticBypassStandby',
            18: 'powerSavingMode',
            19: 'spotMode',
            20: 'eConversion',
            21: 'chargerSpotmode',
            22: 'inverterSpotmode',
          },
          outputSource,
        ),
        '4.2.1': reading('upsAdvOutputVoltage', 'hw.voltage', 1, { attributes: output }),
        '4.2.2': reading('upsAdvOutputFrequency', 'hw.frequency', 1, { attributes: output }),
        '4.2.3': reading('upsAdvOutputLoad', 'hw.load'),
        '4.2.4': reading('upsAdvOutputCurrent', 'hw.current', 1, { attributes: output }),
        '4.2.8': reading('upsAdvOutputActivePower', 'hw.power.output'),
        '4.2.9': reading('upsAdvOutputApparentPower', 'hw.power.apparent', 1, { attributes: output }),
        '4.3.1': reading('upsHighPrecOutputVoltage', 'hw.voltage', 0.1, { attributes: output }),
        '4.3.2': reading('upsHighPrecOutputFrequency', 'hw.frequency', 0.1, { attributes: output }),
        '4.3.3': reading('upsHighPrecOutputLoad', 'hw.load', 0.1),
        '4.3.4': reading('upsHighPrecOutputCurrent', 'hw.current', 0.1, { attributes: output }),
        '4.3.6': reading('upsHighPrecOutputEnergyUsage', 'hw.energy', KILOWATT_HOUR / 100),
      },
    },
  ],
};
