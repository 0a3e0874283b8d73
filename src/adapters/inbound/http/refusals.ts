import type { FieldProblem } from '../../../core/ingest/field-problem.ts'
import { invalid, type Problem, UNAUTHORIZED } from './problem.ts'
import { TOO_MANY_PAGES } from './send-page.ts'

/** Reasons for which a use case may refuse. */
export type Refusal =
  | readonly FieldProblem[]
  | 'bad_cursor'
  | 'bad_user_token'
  | 'contact_limit'
  | 'contact_not_found'
  | 'device_limit'
  | 'device_not_found'
  | 'no_plan'
  | 'not_a_country'
  | 'not_a_reorder'
  | 'not_in_time'
  | 'paired_to_another'
  | 'pairing_refused'
  | 'phone_not_allowed'
  | 'timer_limit'
  | 'timer_not_found'
  | 'timer_over'
  | 'too_many_pages'
  | 'user_not_found'
  | 'verification_used_up'

/** The answers to the refusals of the use cases. protocol.md#errors. */
const problems = {
  bad_cursor: invalid([{ field: 'cursor', message: 'is not a valid cursor for this list' }]),
  bad_user_token: { kind: 'UNAUTHORIZED', message: 'X-User-Token must contain a valid token of this user.' },
  contact_limit: { kind: 'LIMIT', message: 'The user already has the maximum number of contacts.' },
  contact_not_found: { kind: 'NOT_FOUND', message: 'Contact not found.' },
  device_limit: { kind: 'LIMIT', message: 'The user already has the maximum number of devices.' },
  device_not_found: { kind: 'NOT_FOUND', message: 'Device not found.' },
  no_plan: { kind: 'NOT_FOUND', message: 'There is no plan for this country.' },
  not_a_country: invalid([{ field: 'country', message: 'must be an ISO 3166-1 alpha-2 country code' }]),
  not_a_reorder: invalid([{ field: 'contactIds', message: 'must contain the id of every contact exactly once' }]),
  not_in_time: {
    kind: 'UNAVAILABLE',
    message:
      'The request came too late to be carried out, or its client had gone. Nothing was ended. Please try again.',
    headers: { 'retry-after': '1' },
  },
  paired_to_another: { kind: 'CONFLICT', message: 'The device is paired with another user.' },
  // A wrong code, unknown hardware and a locked pairing get the same answer on purpose (rules.md#pairing).
  pairing_refused: invalid([{ field: 'pairingCode', message: 'is not valid for this hardwareId' }]),
  phone_not_allowed: invalid([
    { field: 'phone', message: 'has a country prefix that this application is not allowed to send to' },
  ]),
  timer_limit: { kind: 'LIMIT', message: 'The user already has the maximum number of running timers.' },
  timer_not_found: { kind: 'NOT_FOUND', message: 'Timer not found.' },
  timer_over: { kind: 'CONFLICT', message: 'The timer has ended, or has run out and raised an SOS: then end that.' },
  too_many_pages: TOO_MANY_PAGES,
  // The user was erased between admission and the write.
  user_not_found: UNAUTHORIZED,
  verification_used_up: { kind: 'LIMIT', message: 'This number has been asked too often and cannot be asked again.' },
} as const satisfies Record<Extract<Refusal, string>, Problem>

export const problemOf = (refusal: Refusal): Problem =>
  typeof refusal === 'string' ? problems[refusal] : invalid(refusal)
