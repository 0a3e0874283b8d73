import type { Shelf } from './shelf.js';
/** Whether this is Node. */
export declare const hasFolders: () => boolean;
/**
 * A folder with one synced file a key, which nobody but the process's own user can read: it says where a person was.
 * Node only.
 */
export declare function inFolder(folder: string): Promise<Shelf>;
