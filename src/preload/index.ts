import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { DESKTOP_LINK_MESSAGE, DESKTOP_PORT_MESSAGE, type DesktopBridge } from '../model/contract/wire.ts';

type Adopted = Awaited<ReturnType<DesktopBridge['adoptFile']>> | { readonly problem: string };

// A port cannot pass through contextBridge; a message to the same window can carry it into the page's world.
const passOn = (message: object, ports: readonly MessagePort[] = []): void =>
  window.postMessage(message, window.location.origin, [...ports]);
ipcRenderer.on(DESKTOP_PORT_MESSAGE, (event) => passOn({ type: DESKTOP_PORT_MESSAGE }, event.ports));
ipcRenderer.on(DESKTOP_LINK_MESSAGE, (_event, link: unknown) => passOn({ type: DESKTOP_LINK_MESSAGE, link }));

const bridge: DesktopBridge = {
  connect: () => ipcRenderer.send(DESKTOP_PORT_MESSAGE),
  adoptFile: async (file) => {
    const path = webUtils.getPathForFile(file as File);
    const adopted: Adopted = await ipcRenderer.invoke('faultline:adopt-file', path);
    if ('problem' in adopted) throw new Error(adopted.problem);
    return adopted;
  },
};
contextBridge.exposeInMainWorld('faultline', bridge);
