import type { Http } from '../send/http.js';
import type { MqttLine } from '../send/mqtt-line.js';
import type { Position } from '../wire/alert.js';
/** Asks the device. Null: it does not know. */
export type Locate = () => Position | null | Promise<Position | null>;
/** Of the phone, 0 to 100. Null: it does not know. */
export type Battery = () => number | null | Promise<number | null>;
/** Sends where this device is, as telemetry, while it should. */
export declare class Positions {
    #private;
    constructor(http: Http, line: MqttLine | null, { locate, battery }: {
        readonly locate: Locate;
        readonly battery: Battery;
    });
    send(should: boolean): void;
}
