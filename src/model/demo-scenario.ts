/** Incidents that `faultline demo --scenario` generates, each with the sentence that offers it. */
export const demoScenarios = {
  'power-sag': 'The B feed of a rack sags, its servers brake their GPUs, and half of the replicas answer slowly.',
  'gpu-heat':
    'The fans of one server fail, its GPUs slow down at their temperature limit, and one replica falls behind.',
  batching: 'Clients ask for longer answers than they use: the engine batches 8 requests of 32 while others wait.',
  cache: 'A changed prompt shares no prefix any more: every request computes its whole prompt again.',
  'bad-deploy': 'A new version fails for long prompts, from the minute that it is rolled out.',
  hang: 'A GPU falls off the bus during training, and all other ranks wait in an all-reduce until it times out.',
  'worn-parts':
    'Six days of two servers: the memory of one GPU wears out until it is replaced, and the firmware of others is changed.',
} as const;
export type DemoScenario = keyof typeof demoScenarios;
export const demoScenarioNames = Object.keys(demoScenarios) as [DemoScenario, ...DemoScenario[]];

/** Requests per second and minutes of a scenario; `hang` trains and has no requests, `worn-parts` is of six days and has neither. */
export const scenarioLimits = {
  rate: { least: 1, most: 96, normal: 6 },
  minutes: { least: 12, most: 120, normal: 20 },
} as const;
