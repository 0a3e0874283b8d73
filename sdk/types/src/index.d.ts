export { TocsinError } from './send/http.js';
export type { Alarm } from './sos/alarm.js';
export type { Over } from './sos/facts.js';
export type { Battery, Locate } from './sos/positions.js';
export type { AlarmState, ContactState, Helper, Step, Trouble } from './sos/state.js';
export { type SosCalls, Tocsin, type TocsinOptions } from './tocsin.js';
export type * from './wire/account.js';
export type { AlertFields, FieldProblem, Position } from './wire/alert.js';
