import type { FastifyReply } from 'fastify'
import type { FieldProblem } from '../../../core/ingest/fields.ts'
import { SECOND } from '../../../lib/durations.ts'
import { answer, type FamilyName, invalid, type Problem, RequestProblem, UNAUTHORIZED } from './problem.ts'

/** The answers to the refusals of one noun, by name (protocol.md#errors). */
export type Refusals = Readonly<Record<string, Omit<Problem, 'more'>>>

/** Refusals of several nouns of the API for apps. */
export const sdkRefusals = {
  bad_cursor: invalid([{ field: 'cursor', message: 'is not a valid cursor for this list' }]),
  phone_not_allowed: invalid([
    { field: 'phone', message: 'has a country prefix that this application is not allowed to send to' },
  ]),
  premium_number: invalid([{ field: 'phone', message: 'is a premium-rate number, which this user may not name' }]),
  too_many_pages: {
    kind: 'RATE_LIMITED',
    message: 'Another page is still being read. Try again in 5 s.',
    headers: { 'retry-after': '5' },
  },
  // The user was erased between admission and the write.
  user_not_found: UNAUTHORIZED,
} as const satisfies Refusals

/**
 * Refusals of several nouns of the operator API. There, the name of a refusal is the `reason` of the error, which
 * programs may rely on. Each message is for the person at the screen: the fault, and the remedy.
 */
export const operatorRefusals = {
  too_many_attempts: { kind: 'RATE_LIMITED', message: 'Too many attempts. Wait, then try again.' },
  too_many_tests: { kind: 'RATE_LIMITED', message: 'Too many test messages. Wait, then try again.' },
  weak_password: { kind: 'VALIDATION', message: 'The password is too easy to guess.' },
  wrong_code: {
    kind: 'VALIDATION',
    message: 'The code is wrong. Compare the clock of the phone with the time in `now`.',
  },
  application_not_found: { kind: 'NOT_FOUND', message: 'There is no such application.' },
  user_not_found: { kind: 'NOT_FOUND', message: 'There is no such user.' },
  app_invitation_not_found: { kind: 'NOT_FOUND', message: 'There is no such invitation.' },
  phone_not_allowed: {
    kind: 'VALIDATION',
    message: 'The application may not send to the country of this number (`allowedPrefixes`).',
  },
  hardware_not_found: { kind: 'NOT_FOUND', message: 'No tracker with this hardware id is registered.' },
  paired_to_another: { kind: 'CONFLICT', message: 'Another user has paired this tracker. Unpair it first.' },
  device_limit: { kind: 'LIMIT', message: 'The user already has the maximum number of trackers. Unpair one first.' },
  not_paired: { kind: 'CONFLICT', message: 'No user has paired this tracker.' },
  bad_cursor: { kind: 'VALIDATION', message: '`cursor` is not valid for this list.' },
  contact_limit: { kind: 'LIMIT', message: 'This user already has the maximum number of contacts.' },
  contact_not_found: {
    kind: 'NOT_FOUND',
    message: 'This incident has no such contact, or the contact was removed.',
  },
  incident_open: {
    kind: 'CONFLICT',
    message: 'This incident has not ended yet. Note who was called back after it has.',
  },
  too_many_at_once: {
    kind: 'RATE_LIMITED',
    message: 'Too many of your requests are already waiting. Wait, then try again.',
    headers: { 'retry-after': '2' },
  },
} as const satisfies Refusals

type Shared<F extends FamilyName> = F extends 'OPERATOR' ? typeof operatorRefusals : typeof sdkRefusals

/** The names that the routes of a noun may refuse with: those of its own table, and those of several nouns. */
export type RefusalOf<F extends FamilyName, R extends Refusals> = Extract<keyof R | keyof Shared<F>, string>

/**
 * Answers a use case's refusal, by its name or as the fields at fault. `more`: further fields, such as the incident
 * as it is now. `message`: instead of the usual one.
 */
export type Refuse<N extends string> = (
  reply: FastifyReply,
  refusal: N | readonly FieldProblem[],
  more?: {
    readonly message?: string
    readonly headers?: Readonly<Record<string, string>>
    readonly [what: string]: unknown
  },
) => FastifyReply

/** Answers of a family's routes to the refusals of this table. */
export const refusing =
  <N extends string>(family: FamilyName, refusals: Readonly<Record<N, Refusals[string]>>): Refuse<N> =>
  (reply, refusal, { message, headers, ...rest } = {}) => {
    if (typeof refusal !== 'string') return answer(reply, family, invalid(refusal))
    const usual = refusals[refusal]
    return answer(reply, family, {
      ...usual,
      ...(message !== undefined && { message }),
      headers: { ...usual.headers, ...headers },
      more: { ...(family === 'OPERATOR' && { reason: refusal }), ...rest },
    })
  }

/** Whole seconds until a refused caller may try again. */
export const secondsUntil = (ms: number): number => Math.max(1, Math.ceil(ms / SECOND))

/** When to try again, of a refusal that passes; nothing of others. */
export const later = (refused: object) =>
  'retryAfterMs' in refused ? { headers: { 'retry-after': `${secondsUntil(Number(refused.retryAfterMs))}` } } : {}

/** A refusal of the operator API as an error, for code without access to the reply. */
export const operatorProblem = (refusal: keyof typeof operatorRefusals): RequestProblem =>
  new RequestProblem({ ...operatorRefusals[refusal], more: { reason: refusal } })
