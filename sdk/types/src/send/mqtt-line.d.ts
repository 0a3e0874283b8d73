import type { Alert } from '../wire/alert.js';
import type { News } from '../wire/news.js';
import type { Http } from './http.js';
type Client = {
    on(event: 'message', heard: (topic: string, payload: Uint8Array) => void): unknown;
    on(event: 'error', failed: (error: Error) => void): unknown;
    once(event: 'close', closed: () => void): unknown;
    subscribeAsync(topic: string, options: {
        readonly qos: 1;
    }): Promise<unknown>;
    publishAsync(topic: string, message: string, options: {
        readonly qos: 1;
    }): Promise<unknown>;
    endAsync(force: boolean): Promise<unknown>;
};
type Mqtt = {
    connectAsync(url: string, options: object, allowRetries: boolean): Promise<Client>;
};
/** `() => import('mqtt')`. */
export type LoadMqtt = () => Promise<Mqtt>;
export declare const loadMqtt: LoadMqtt;
type Needs = {
    readonly http: Http;
    readonly load: LoadMqtt;
    readonly url: string;
    readonly random: () => number;
    /** The service's id of the user: topics have it. Null: not known yet, and there is no way to ask. */
    readonly sdkUserId: () => Promise<string | null>;
    readonly heard: (news: News) => void;
    /** The line is up: ask for everything that happened meanwhile. */
    readonly isUp: () => void;
};
/** One connection to the service's broker, kept up while it is wanted. */
export declare class MqttLine {
    #private;
    /** Nothing to expect of it: the package is missing, or the last attempt failed. */
    hasFailed: boolean;
    constructor(needs: Needs);
    /** While it is up: aborts when it is lost. */
    get lost(): AbortSignal | null;
    /** Resolves when it is up, or has failed, or `signal` has aborted. */
    tried(signal: AbortSignal): Promise<void>;
    /** Keeps it up until `signal`. */
    run(signal: AbortSignal): Promise<void>;
    /** Resolves with true at the PUBACK, and with false if the line is lost or `signal` aborts before. */
    publishes(kind: 'press' | 'position', payload: Alert, signal: AbortSignal): Promise<boolean>;
}
export {};
