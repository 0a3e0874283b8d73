import { countryOf } from '../core/account/country-of.ts'
import type { AttemptOutcome } from '../core/incident/command.ts'
import type { Log } from '../ports/log.ts'
import type { Meter } from '../ports/meter.ts'
import type { Notifiers } from './sending/notify.ts'

type TextNotifier = Notifiers['text']
type Text = Parameters<TextNotifier['send']>[0]

/**
 * `text` with an eye on where it sends: messages that a provider took are counted by channel and country, so that misuse shows before
 * the bill does, and a number outside the application's country prefixes is warned of. It is sent all the same: nothing holds back
 * an alarm.
 */
export function watchDestinations(
  text: TextNotifier,
  { log, meter }: { readonly log: Log; readonly meter: Pick<Meter, 'count'> },
): TextNotifier {
  const counted = ({ channel, to }: Text, outcome: AttemptOutcome): AttemptOutcome => {
    if (outcome.kind === 'sent' || outcome.kind === 'delivered') {
      meter.count('messages_total', { channel, country: countryOf(to) })
    }
    return outcome
  }
  return {
    ...text,
    async send(notification, begin) {
      const { channel, to, incidentId, attemptId, outsidePrefixes } = notification
      if (outsidePrefixes) {
        const about = { incidentId, attemptId, channel, country: countryOf(to) }
        log.warn(about, 'a contact’s number is outside the allowed country prefixes; it is notified anyway')
      }
      return counted(notification, await text.send(notification, begin))
    },
    async lookUp(notification) {
      const outcome = await text.lookUp(notification)
      // One that is known to have been taken was counted then.
      return notification.provider === null ? counted(notification, outcome) : outcome
    },
  }
}
