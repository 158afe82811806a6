const below = (prefix: string, names: Readonly<Record<string, string>>) =>
  Object.entries(names).map(([number, name]) => [`${prefix}.${number}`, name] as const);

/**
 * Names of notifications and conditions whose words state what happened, for logs that have numbers only: PDU2-MIB,
 * EATON-EPDU-MIB, LIEBERT-GP-NOTIFICATIONS-MIB, LIEBERT-GP-CONDITIONS-MIB (well-known conditions).
 */
export const notificationNames: ReadonlyMap<string, string> = new Map([
  ...below('1.3.6.1.4.1.13742.6.0', {
    60: 'pduSensorStateChange',
    61: 'inletSensorStateChange',
    63: 'outletSensorStateChange',
    65: 'overCurrentProtectorSensorStateChange',
    66: 'externalSensorStateChange',
  }),
  ...below('1.3.6.1.4.1.534.6.6.7.0', {
    11: 'notifyInputVoltageThStatus',
    12: 'notifyInputCurrentThStatus',
    13: 'notifyInputFrequencyStatus',
    23: 'notifyGroupBreakerStatus',
    41: 'notifyTemperatureThStatus',
    42: 'notifyHumidityThStatus',
  }),
  ...below('1.3.6.1.4.1.476.1.42.3.3.0', {
    1: 'lgpEventConditionEntryAdded',
    2: 'lgpEventConditionEntryRemoved',
    3: 'lgpEventLowBatteryWarning',
    4: 'lgpEventLoadTransferedToBypass',
    5: 'lgpEventInternalFault',
    7: 'lgpEventOutputOverload',
    9: 'lgpEventLostPowerRedundancy',
    10: 'lgpEventPowerModuleFailure',
    11: 'lgpEventBatteryModuleFailure',
    14: 'lgpEventBatteryModuleWarning',
  }),
  ...below('1.3.6.1.4.1.476.1.42.3.2.1', {
    1: 'lgpConditionHighTemperature',
    2: 'lgpConditionLowTemperature',
    3: 'lgpConditionHighHumidity',
    4: 'lgpConditionLowHumidity',
    5: 'lgpConditionLossOfAirflow',
    6: 'lgpConditionChangeFilter',
    7: 'lgpConditionCompressorHighHeadPressure',
    8: 'lgpConditionCompressorOverload',
    9: 'lgpConditionCompressorShortCycle',
    10: 'lgpConditionCompressorLowSuctionPressure',
    11: 'lgpConditionMainFanOverLoad',
    12: 'lgpConditionManualOverride',
    13: 'lgpConditionStandbyGlycoolPumpOn',
    14: 'lgpConditionWaterUnderFloor',
    15: 'lgpConditionHumidifierProblem',
    16: 'lgpConditionLowWaterInHumidifier',
    17: 'lgpConditionSmokeDetected',
    18: 'lgpConditionLowWaterFlow',
    19: 'lgpConditionLostPower',
    20: 'lgpGeneralFault',
    21: 'lgpConditionLocalAlarm',
  }),
]);
