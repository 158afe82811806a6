/** Texts of the hosts that belong to no single command. */
export const messages = {
  app: 'Faultline',
  commandLine: {
    about:
      'Faultline finds the root cause of an AI-cluster incident, across power, cooling, GPUs, network and services.',
    options: 'faultline COMMAND --help shows its options.',
    version: (version: string, commit: string) => `faultline ${version} (commit ${commit})`,
    unknownCommand: (name: string) => `there is no command "${name}"`,
    seeHelp: 'run `faultline help` for the commands',
    openElsewhere: 'this case is open in another Faultline: this is read from a copy of it as of now',
    keptOlder: (copy: string) =>
      `this case is of an older Faultline: it is upgraded, and stays as it was in ${copy} beside it`,
    cancelled: 'cancelled; the case is unchanged',
  },
  output: {
    failed: (code: string) => `the output could not be written (${code})`,
    lost: (why: string) => `standard output ${why}: its lines are lost, the command goes on`,
    unwritable: (code: string) => `cannot be written (${code})`,
    unread: 'is not read',
  },
  files: {
    notRegular: (name: string) => `${name} is neither a file nor a folder`,
    missing: { message: (name: string) => `there is no file ${name}`, hint: 'someone may have moved or deleted it' },
    unreadable: {
      message: (name: string, code: string) => `${name} cannot be read (${code})`,
      hint: 'check who may read this file',
    },
    unknown: { message: 'choose this file again', hint: 'drop it once more, or select it in the dialog' },
    onlyLocal: 'Only files on this computer can be opened.',
    cannotRead: 'This file cannot be read.',
  },
  /** Answers to requests that a browser may show as a page. */
  web: {
    wrongHost: 'wrong host',
    badAddress: 'bad address',
    badPath: 'bad path',
    badMethod: 'method not allowed',
    noSession: 'open the address that `faultline serve` printed',
    forbidden: 'forbidden',
    tooDeep: 'the folders are nested too deep',
    notFound: 'not found',
  },
  desktop: {
    cannotStart: { title: 'Faultline cannot start', log: (why: string) => `cannot start: ${why}` },
    notLoaded: (why: string) => `the window did not load: ${why}`,
    noBrowser: (why: string) => `no browser could be opened: ${why}`,
    notClosed: (why: string) => `did not close cleanly: ${why}`,
    closeTimeout: 'it took too long',
    linkRefused: 'a link was refused: it names no place in a case',
    closeCapture: {
      message: 'A capture is running.',
      detail: 'Closing the last window ends it. The case keeps everything recorded until then.',
      buttons: { keep: 'Keep recording', end: 'End it and close' },
    },
    reload: {
      message: 'The window stopped working.',
      detail: (why: string) => `The open case is unharmed and stays open when you reload the window. Reason: ${why}.`,
      buttons: { reload: 'Reload', later: 'Not now' },
      processGone: (why: string) => `the page's process is gone (${why})`,
      unresponsive: 'the page does not respond',
    },
    linkCommand: {
      menu: 'Install Command Line…',
      linked: (link: string) => ({
        message: 'The command line is installed.',
        detail: `${link} starts it: open a terminal and type faultline help.`,
      }),
      temporary: {
        message: 'Move Faultline to Applications first.',
        detail: 'It runs from a disk image or from a temporary place, to which a link would not lead for long.',
      },
      taken: (link: string, program: string) => ({
        message: `${link} is something else.`,
        detail: `Nothing was changed. The command is ${program}: link it under another name, or take the other file away first.`,
      }),
      denied: (link: string, line: string) => ({
        message: 'Writing there needs an administrator.',
        detail: `This line in a terminal makes ${link}:\n\n${line}`,
      }),
      failed: (why: string) => ({ message: 'The command line was not installed.', detail: why }),
      buttons: { copy: 'Copy the line', close: 'Close' },
    },
    openCase: 'Open a case',
    importFiles: 'Import files',
    importFolder: 'Import a folder',
    watchFolder: 'Watch a folder',
    tooManyWindows: { message: (most: number) => `${most} windows are open already.`, hint: 'Close one of them.' },
    bundleType: 'Faultline bundle',
    saveBundle: 'Save the bundle',
    export: 'Export',
    save: 'Save',
    notWritten: {
      message: (name: string, code: string | null) =>
        `${name} could not be written${code === null ? '' : ` (${code})`}.`,
      hint: 'Choose another folder.',
    },
    doNotAllow: 'Do not allow',
    nothingSaved: 'Nothing was saved.',
    notPrinted: {
      message: (why: string) => `the report could not be printed (${why})`,
      hint: 'export HTML and print it from a browser',
    },
  },
} as const;
