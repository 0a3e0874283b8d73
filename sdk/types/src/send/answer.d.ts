import type { FieldProblem } from '../wire/alert.js';
import type { IncidentNews } from '../wire/incident.js';
/** An answer over HTTP. `body`: what JSON it was, else null. A request without an answer has none. */
export type Answer = {
    readonly status: number;
    readonly body: unknown;
    readonly retryAfterMs: number;
};
export type Json = Readonly<Record<string, unknown>>;
export declare const isObject: (value: unknown) => value is Json;
/** The error of the service. Null: something else answered, such as a captive portal. */
export declare function errorOf(body: unknown): {
    readonly code: string;
    readonly fields: readonly FieldProblem[];
} | null;
/** `{ incident }` of a 2xx. Undefined: the answer is not from the service. */
export declare function incidentIn({ status, body }: Answer): IncidentNews | null | undefined;
