import type { FieldProblem } from '../wire/alert.js';
import type { DeliveryStatus } from '../wire/incident.js';
import type { Facts, Over } from './facts.js';
import type { EndAsked, Press } from './press.js';
/** The progress of an alarm. It never goes back; `helpers` names who helps now. */
export type Step = 'kept' | 'onServer' | 'alerted' | 'coming' | 'over';
export type Helper = {
    /** The contact's id, as in `contacts`: two may have one name. Null: an operator. */
    readonly contactId: string | null;
    /** Null: an operator whose name is not told. */
    readonly name: string | null;
    readonly kind: 'contact' | 'operator';
    /** `unable`: a contact who can't help, or no longer does. `answered`: no more was said. */
    readonly answer: 'coming' | 'calling' | 'answered' | 'unable';
    /** Minutes that the contact named, at `at`. */
    readonly eta: number | null;
    readonly at: string;
};
export type ContactState = {
    readonly contactId: string;
    readonly name: string;
    readonly status: DeliveryStatus;
    readonly channels: readonly {
        readonly channel: string;
        readonly status: DeliveryStatus;
    }[];
};
/** Why a press is not on the server yet. It is tried again until it is. */
export type Trouble = 'no_network' | 'unauthorized' | 'busy' | 'not_the_service';
/** An alarm as an app shows it. */
export type AlarmState = {
    readonly step: Step;
    /** It survives the end of the app. False: storage is full or missing, and the app must stay open until `onServer`. */
    readonly kept: boolean;
    readonly pressedAt: string;
    /** When this device learnt that it is on the server's disk; null before. */
    readonly onServerAt: string | null;
    readonly incidentId: string | null;
    /** Show, sound and light up nothing: somebody may be watching. */
    readonly silent: boolean;
    readonly helpers: readonly Helper[];
    /** Whether somebody helps now. After a helper has withdrawn, `step` is still `coming`, and this is false. */
    readonly helped: boolean;
    readonly contacts: readonly ContactState[];
    /** Until then nobody is alarmed: the button looks stuck. A press after a pause of 15 s alarms at once. */
    readonly putOff: string | null;
    /** An end was asked for and is not confirmed yet. */
    readonly ending: 'cancel' | 'resolve' | null;
    /** The last end did not end it, since somebody pressed again. Ask again: `cancel()` now ends that alarm too. */
    readonly pressedAgain: boolean;
    readonly over: Over | null;
    /** The fields that the service did not take; the press went out without them. */
    readonly refused: readonly FieldProblem[];
    readonly trouble: Trouble | null;
};
/** This device's knowledge besides the facts. `ends`: how often an end was asked for. */
export type Own = {
    readonly press: Press;
    readonly end: EndAsked | null;
    readonly kept: boolean;
    readonly trouble: Trouble | null;
    readonly now: number;
};
export declare function stateOf(facts: Facts, { press, end, kept, trouble, now }: Own): AlarmState;
/** Whether `next` is not a step back. */
export declare const isForward: (step: Step, next: Step) => boolean;
