import { raiseAgainMs, type SosFlag } from '../../core/field/sos-flag.ts'
import { stuckFlagText } from '../../core/message/stuck-flag.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { HOUR, MINUTE } from '../../lib/durations.ts'
import { oneAtATime } from '../../lib/waits.ts'
import type { FieldDevice } from '../../ports/field-store.ts'
import type { Log } from '../../ports/log.ts'
import type { Meter } from '../../ports/meter.ts'
import { type ChatNeeds, postToChat } from '../sending/post-to-chat.ts'

/** Posts to the chat of one application: after an outage, all flags are heard at once. The log has all of them. */
const POSTS = { times: 20, perMs: HOUR }
const MAX_APPLICATIONS = 10_000

/** Reports that a flag has opened another incident without having been clear. Never waits, never fails. */
export type TellStuck = (device: FieldDevice, flag: SosFlag) => void

/**
 * Tells the operator and the application's chat that an SOS flag looks stuck: contacts who get repeated false alarms
 * ignore the real one. Each post comes with an incident that the flag has opened, so at most every 15 min per tracker.
 * Chats share their connections with alarms, so only one post is under way at a time. devices.md#flags.
 */
export const stuckFlags = (needs: ChatNeeds & { readonly log: Log; readonly meter: Meter }): TellStuck => {
  const { clock, log, meter } = needs
  const post = oneAtATime(postToChat(needs))
  const posts = new RateLimiter(POSTS, MAX_APPLICATIONS)

  return ({ appId, userId, hardwareId }, { since, repeats = 0, incidentId }) => {
    const now = clock.now()
    const setForMinutes = since === undefined || since > now ? null : Math.round((now - since) / MINUTE)
    meter.count('flags_stuck_total')
    log.warn(
      { appId, userId, incidentId, repeats, setForMinutes },
      'the SOS flag of a tracker looks stuck: still set, it has raised an alarm again',
    )
    const heldMinutes = raiseAgainMs(repeats) / MINUTE
    if (!posts.take(appId, now)) return
    void post(appId, 'stuck', ({ language }) => stuckFlagText(language, { hardwareId, heldMinutes })).catch((error) =>
      log.warn({ appId, err: error }, 'could not post to the chat that an SOS flag looks stuck'),
    )
  }
}
