import type { Shelf } from '../keep/shelf.js';
import type { Http } from '../send/http.js';
import type { MqttLine } from '../send/mqtt-line.js';
import type { TimerReminder } from '../wire/account.js';
import type { AlertFields } from '../wire/alert.js';
import { Alarm } from './alarm.js';
import type { Positions } from './positions.js';
type Needs = {
    readonly http: Http;
    readonly shelf: Shelf;
    readonly line: MqttLine | null;
    readonly positions: Positions;
    readonly random: () => number;
    readonly signal: AbortSignal;
};
/** The alarms of this device's user. */
export declare class Sos {
    #private;
    constructor(needs: Needs);
    /**
     * Presses SOS. Resolves when it is kept on this device, or cannot be (`state.kept`); it is on its way either way.
     * `fields`: known at this moment. A later position follows by itself.
     */
    press(fields?: AlertFields): Promise<Alarm>;
    /** The open alarm of the user, of this device or another one, or null. Asks the service, if it answers. */
    current(): Promise<Alarm | null>;
    /** The alarms that this device pressed: open ones and those of the last 24 h, oldest first. */
    alarms(): Promise<readonly Alarm[]>;
    /**
     * Listens for alarms of other devices of the user as well. Calls `listener` when there is a new one. Returns what
     * stops that.
     */
    watch(listener: () => void): () => void;
    /** Calls `listener` when a timer runs out soon. Returns what stops that. */
    remind(listener: (reminder: TimerReminder) => void): () => void;
    /** The network is back, the app is in front again: goes on at once. */
    wake(): void;
}
export {};
