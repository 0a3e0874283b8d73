import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { newMoment } from '../harness/moment.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import { until } from '../harness/wait.ts'

/** The quiet time of a claimed attempt without an outcome, 10 s, has passed when the power is back. */
export const POWER_CUT_MS = 25_000
/** On a busy machine. */
const RECOVERY_MS = 180_000
const LOOK_MS = 200

/** Contact actuators in fractions of a second, one round, and nothing besides the alarm itself. */
export const HURRIED = {
  'grace-seconds': 0.25,
  'contact-interval-seconds': 0.1,
  'ack-timeout-seconds': 0.15,
  rounds: 1,
  'all-clear': 'off',
} as const

/** Only these posts are counted, because an unanswered round causes a post of its own. */
export const OPENED = 'sos.opened'

export const ANA = { name: 'Ana', phone: '+436600000001' }
export const BEN = { name: 'Ben', phone: '+436600000002' }

export async function raise(user: PhoneUser): Promise<string> {
  const { status, body } = await user.rest('POST', '/v1/sdk/sos', { timestamp: newMoment() })
  assert.equal(status, 201)
  return body.incident.incidentId
}

/** Like `until`, for conditions that take a whole recovery: waits longer and polls less often. */
export const recovered = <T>(what: string, look: () => Promise<T | false>): Promise<T> =>
  until(what, async () => (await look()) || sleep(LOOK_MS, false as const), RECOVERY_MS)
