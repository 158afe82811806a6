import { contextBridge, ipcRenderer, webUtils } from 'electron';
import { DESKTOP_PORT_MESSAGE, type DesktopBridge } from '../model/contract/wire.ts';

type Adopted = Awaited<ReturnType<DesktopBridge['adoptFile']>> | { readonly problem: string };

// A port cannot pass through contextBridge; a message to the same window can carry it into the page's world.
ipcRenderer.on(DESKTOP_PORT_MESSAGE, (event) => {
  window.postMessage({ type: DESKTOP_PORT_MESSAGE }, window.location.origin, [...event.ports]);
});

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
