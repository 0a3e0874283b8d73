import { twilioCallbacks } from '../adapters/outbound/twilio/callbacks.ts'
import { answerCall } from '../app/answers/answer-call.ts'
import { recordReceipt } from '../app/answers/record-receipt.ts'
import type { IncidentDoor } from '../app/incident-door.ts'
import type { Config } from '../config.ts'
import type { Clock } from '../ports/clock.ts'
import type { Log } from '../ports/log.ts'
import type { Meter } from '../ports/meter.ts'
import type { ProviderCallbacks } from '../ports/provider-callbacks.ts'
import type { Store } from '../ports/store.ts'

/** Even if Twilio is no longer a provider: receipts of earlier messages are still to come. Null without its token. */
export async function providerCallbacks(
  { twilio }: Config,
  parts: {
    readonly store: Store
    readonly door: IncidentDoor
    readonly clock: Clock
    readonly log: Log
    readonly meter: Meter
    readonly publicUrl: () => string
    readonly machineTimeZone: () => string
  },
): Promise<ProviderCallbacks | null> {
  if (twilio.authToken === null) return null
  return twilioCallbacks({
    ...parts,
    authToken: twilio.authToken.reveal(),
    recordReceipt: recordReceipt(parts),
    answerCall: answerCall(parts),
  })
}
