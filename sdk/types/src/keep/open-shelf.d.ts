import type { Shelf } from './shelf.js';
/** The best place that this platform has. Never rejects: an alarm goes out without one, too. */
export declare function openShelf(storage: string | undefined, { appId, userId }: {
    readonly appId: string;
    readonly userId: string;
}): Promise<Shelf>;
