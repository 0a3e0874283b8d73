import type { TestContext } from 'node:test'
import { createTwilioNotifier, type TwilioAccount } from '../../../../src/adapters/outbound/twilio/twilio-notifier.ts'
import { textNotification } from '../../../harness/text-notification.ts'
import { type Options, startTwilio } from '../../../harness/twilio-stand-in.ts'
import { VirtualClock } from '../../../harness/virtual-clock.ts'

export const PUBLIC_URL = 'https://sos.example.org'
export const TO = '+4366012345678'

/** The notifier connected to the stand-in, on a clock that the test moves. */
export async function start(t: TestContext, account: Partial<TwilioAccount> = {}, options: Options = {}) {
  const clock = new VirtualClock()
  const twilio = await startTwilio(t, { now: () => clock.now(), ...options })
  const lines: string[] = []
  const note = (fields: object, message: string) => void lines.push(JSON.stringify({ ...fields, message }))
  const notifier = createTwilioNotifier({
    account: {
      accountSid: twilio.accountSid,
      authToken: twilio.authToken,
      from: '+12025550123',
      messagingServiceSid: null,
      baseUrl: twilio.baseUrl,
      receipts: 'callback',
      pollMs: 5_000,
      smsPerSecond: 1000,
      callsPerSecond: 1000,
      requestsAtOnce: 100,
      validitySeconds: 600,
      ...account,
    },
    publicUrl: () => PUBLIC_URL,
    clock,
    log: { info: note, warn: note, error: note },
  })
  t.after(() => notifier.close())
  const text = (changes: Parameters<typeof textNotification>[0] = {}) =>
    textNotification({
      claimedAt: clock.now(),
      timeoutMs: 60_000,
      to: TO,
      text: `SOS: Mia needs help! ${PUBLIC_URL}/t/tok-1`,
      token: 'tok-1',
      ...changes,
    })
  return { clock, twilio, notifier, text, lines }
}
