import type { Config } from '../config.ts'
import { canCall } from '../core/caller.ts'
import { trackingLinkConcern } from './tracking-links.ts'

/** What will not work as things stand, although the service starts: a sentence each. */
export function configWarnings(config: Config): readonly string[] {
  const { notifications, publicUrl, twilio } = config
  const { providers } = notifications
  const linkConcern = trackingLinkConcern(config)
  const warnings = linkConcern === null ? [] : [linkConcern]
  if (providers.length > 1 && providers.includes('outbox')) {
    warnings.push(
      'notifications.providers names outbox beside another provider: what the others do not take is only written down, and counts as sent',
    )
  }
  if (!providers.includes('twilio')) return warnings
  if (!canCall(twilio.from)) {
    warnings.push('twilio.from is not a number (+12025550123), so Twilio makes no calls; only SMS leave through it')
  }
  if (receiptsBy({ publicUrl, twilio }) === 'callback' && publicUrl === null) {
    warnings.push('twilio.receipts is callback, but publicUrl is not set, so Twilio may not find this service')
  }
  return warnings
}

/** How it is learned what became of a message: where nothing else is said, Twilio calls back if it has an address to call. */
export const receiptsBy = ({ publicUrl, twilio }: Pick<Config, 'publicUrl' | 'twilio'>): 'callback' | 'poll' =>
  twilio.receipts ?? (publicUrl === null ? 'poll' : 'callback')
