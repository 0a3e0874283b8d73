import { Account } from './account.js';
import { type Fetch, type Identity, type Now } from './send/http.js';
import { type LoadMqtt } from './send/mqtt-line.js';
import { Messages } from './sos/messages.js';
import { type Battery, type Locate } from './sos/positions.js';
import { Sos } from './sos/sos.js';
export type TocsinOptions = Identity & {
    /**
     * The place for presses: in Node a folder, in browsers the name of a database (default `tocsin`). Node without a
     * folder keeps nothing: `state.kept` is false.
     */
    readonly storage?: string;
    /** False: never. Default: the package `mqtt`, if it can be loaded. With a bundler: `() => import('mqtt')`. */
    readonly mqtt?: false | LoadMqtt;
    /** Default: `url` with `wss:` and `/mqtt`. */
    readonly mqttUrl?: string;
    /** Default: the browser's own, which may ask the person. Null: not known. */
    readonly position?: Locate;
    /** 0 to 100. Default: the browser's own, where it has one. */
    readonly battery?: Battery;
    readonly fetch?: Fetch;
    /** The device's clock, epoch ms. Default: `Date.now`. */
    readonly now?: Now;
};
/** The methods of `tocsin.sos`. */
export type SosCalls = Pick<Sos, 'press' | 'current' | 'alarms' | 'watch'> & {
    /** Talking with those who help, during the open alarm. */
    readonly messages: Messages;
};
/** A user of a Tocsin service, on this device. Presses that an earlier start has kept go out at once. */
export declare class Tocsin extends Account {
    #private;
    readonly sos: SosCalls;
    constructor(options: TocsinOptions);
    /** Goes on at once: call it when the app comes to the front, or the network is back. Browsers need no call. */
    wake(): Promise<void>;
    /** Ends everything on this device. What is kept goes out at the next start. */
    close(): Promise<void>;
}
