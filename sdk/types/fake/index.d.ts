import type { TocsinOptions } from '../src/index.js';
import type { Card } from '../src/wire/account.js';
import type { Alert } from '../src/wire/alert.js';
import type { IncidentNews } from '../src/wire/incident.js';
import type { SosMessage } from '../src/wire/message.js';
type Incident = IncidentNews & {
    readonly creationTelemetry: Alert;
};
/**
 * A service in memory for the tests of an app: the same states, and a test says what people do.
 *
 *     const service = new FakeService({ contacts: ['Ana', 'Ben'] })
 *     const tocsin = new Tocsin(service.options)
 *     const alarm = await tocsin.sos.press()
 *     service.alertsContacts()
 *     service.answers('Ana', 'coming', 10)
 *
 * It knows the user's own alarms with their messages, profile, card and contacts; it neither checks fields nor sends
 * anything.
 */
export declare class FakeService {
    #private;
    /** For `new Tocsin(…)`; a test may replace some: `{ ...service.options, position: … }`. */
    readonly options: TocsinOptions;
    /** Every alert and position that came, repeats included. */
    readonly alerts: Alert[];
    readonly positions: Alert[];
    /** Every incident, the open one included, oldest first. */
    readonly incidents: Incident[];
    /** Requests come through and are carried out; their answers are lost. */
    losesAnswers: boolean;
    /** False: an earlier service, which apps poll. */
    hasStream: boolean;
    /** The presses look like a stuck button until then. */
    putOff: string | null;
    /** Messages of the open alarm, oldest first. */
    readonly messages: SosMessage[];
    /** The person's card. */
    card: Card;
    constructor({ contacts }?: {
        readonly contacts?: readonly string[];
    });
    /** Nothing gets through, in either direction, and streams end. */
    set isOffline(isOffline: boolean);
    get isOffline(): boolean;
    /** The first SMS has left to each contact. */
    alertsContacts(): void;
    /** `eta`: in minutes, of `coming`. `unable` takes an earlier answer back. */
    answers(name: string, kind: 'coming' | 'calling' | 'unable', eta?: number): void;
    /** An operator takes the alarm. */
    takes(name?: string): void;
    /** A timer is due in 15 min. */
    reminds(note?: string | null): void;
    /** A contact who helps, or with another name an operator, writes to the person. */
    writes(name: string, text: string): void;
    /** The operators signed in at the rescue desk, by name. */
    set desk(names: readonly string[]);
    /** An operator ends the alarm. */
    closes(): void;
    /** The next request gets this answer and is not carried out; several are used one by one. */
    refuses(status: number, { code, fields, headers }?: Refusal): void;
    /** The next request gets an answer that is not the service's: a captive portal. */
    isInHotel(): void;
    get open(): Incident | null;
    /** Ends the streams of events: apps connect again. */
    hangsUp(): void;
}
type Refusal = {
    readonly code?: string;
    readonly fields?: readonly {
        readonly field: string;
        readonly message: string;
    }[];
    readonly headers?: Record<string, string>;
};
export {};
