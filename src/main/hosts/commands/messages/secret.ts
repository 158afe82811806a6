export const messages = {
  summary: "store a secret for capture plans in the system's keychain, or delete it",
  usage: [
    'faultline secret set NAME      type the secret (hidden), or pipe it to standard input',
    'faultline secret forget NAME',
    '  a plan refers to it as keychain:NAME',
  ].join('\n'),
  action: 'set or forget',
  unknownAction: (action: string) => `unknown action "${action}": write set or forget`,
  asArgument: 'do not pass the secret as an argument: other users can see arguments',
  prompt: (name: string) => `${name}: `,
  empty: {
    message: 'the secret is empty; nothing was stored',
    hint: 'type it, or pipe it in',
  },
  stored: (name: string) => `stored; a plan refers to it as keychain:${name}`,
  unknown: (name: string) => `the keychain has no secret ${name} of Faultline`,
  forgotten: 'forgotten',
} as const;
