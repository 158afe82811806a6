/**
 * Names of ports: `Ethernet1/3`, `Eth1/1`, `HundredGigE0/0/0/1`, `400GE1/0/1`, `et-0/0/5:1`, `swp12s0`, `port 1/7`, `Port-Channel10`.
 * Words for them differ between Arista EOS, Cisco NX-OS and IOS, Junos, SONiC, Cumulus, Onyx, Dell OS10 and Huawei.
 */
export const PORT =
  /(?<![\w/.-])(?:[A-Za-z]{0,16}Gig(?:abit)?(?:Ethernet|E)|\d{2,3}GE|[Ee]thernet|Eth?|[Pp]ort-?[Cc]hannel|Po|Eth-Trunk|(?:et|xe|ge|mge)-|ae|swp|IB|[Pp]ort (?=\d{1,4}\/)) ?(\d{1,4}(?:[/:]\d{1,4}){0,4}(?:s\d)?)(?![\w/])/;

/** Whether a text is the name of a switch's port, and nothing else. */
export const isPortName = (text: string): boolean => PORT.exec(text)?.[0] === text;
