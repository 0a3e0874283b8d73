import type { Shelf } from './shelf.js';
/** For browsers in private mode, and where nothing else was named: lasts as long as the app. */
export declare function inMemory(): Shelf;
