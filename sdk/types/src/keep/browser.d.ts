import type { Shelf } from './shelf.js';
/** Whether this is a browser that may keep something. */
export declare const hasDatabases: () => boolean;
/** IndexedDB, with a Web Lock. Rejects where the browser keeps nothing. */
export declare function inBrowser(name: string): Promise<Shelf>;
