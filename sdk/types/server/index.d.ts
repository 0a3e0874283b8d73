import type { IncidentNews } from '../src/wire/incident.js';
/** The hash with which a user's app signs in. On your backend only: an app must never have the secret. */
export declare const userHash: (secret: string, userId: string) => string;
type Headers = {
    readonly get: (name: string) => string | null;
} | Readonly<Record<string, string | string[] | undefined>>;
/**
 * The webhook, if it is genuine: signed with this secret within the last 5 minutes. Else null: answer 401. `body`: the
 * bytes or the text as they came, before any JSON parser. A retry has the same `webhook-id`: remember those handled.
 */
export declare function verifyWebhook(headers: Headers, body: string | Uint8Array, secret: string, now?: number): Webhook | null;
/** In the incident of a webhook. */
export type WebhookIncident = IncidentNews & {
    readonly appId: string;
    readonly userId: string;
    readonly drill?: true;
};
type Person = {
    readonly id: string;
    readonly externalUserId: string;
    readonly name: string | null;
    readonly phone: string | null;
};
type Told<More = unknown> = More & {
    readonly incident: WebhookIncident;
    readonly user: Person;
    /** Raised by another user of the service alone, so far. */
    readonly raisedThrough?: {
        readonly deviceId: string;
    };
    /** To a contact's own gateway only. */
    readonly contact?: {
        readonly id: string;
        readonly name: string;
        readonly phone: string;
        readonly email: string | null;
        readonly language: string;
    };
    readonly trackingUrl?: string;
};
type Overdue = {
    readonly overdue?: {
        readonly dueAt: string;
        readonly note: string | null;
    };
};
type Call<Type extends string, More = unknown, Top = unknown> = Top & {
    readonly type: Type;
    /** Of this very try. */
    readonly timestamp: string;
    readonly data: Told<More>;
};
type Answered = {
    readonly acknowledgedBy: {
        readonly kind?: 'contact' | 'operator';
        readonly contactId: string | null;
        readonly name: string;
        readonly at: string;
    };
};
type Reopened = {
    readonly reason: 'pressed_again' | 'overdue' | 'helper_silent' | 'helper_withdrew';
};
type Closed = {
    readonly reason: 'user' | 'operator' | 'contact' | 'automatic';
};
type Exercise = {
    readonly drill: true;
};
/**
 * The body that the service posts. `drill.…` is an exercise: it must dispatch nobody. Ignore unknown types: more may
 * come. protocol.md#webhook.
 */
export type Webhook = Call<'sos.opened', Overdue & {
    readonly reason?: 'overdue';
}> | Call<'sos.reopened', Overdue & Reopened, Reopened> | Call<'sos.acknowledged', Answered> | Call<'sos.unanswered'> | Call<'sos.closed', Closed, Closed> | Call<'sos.test'> | Call<'drill.opened' | 'drill.unanswered', unknown, Exercise> | Call<'drill.acknowledged', Answered, Exercise> | Call<'drill.closed', Closed, Closed & Exercise>;
export {};
