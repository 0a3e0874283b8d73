import type { NetworkServer, Uplink } from '../../core/field/lorawan/network-event.ts'
import { strangerText } from '../../core/message/stranger.ts'
import { RateLimiter } from '../../core/pacing/rate-limiter.ts'
import { HOUR, MINUTE } from '../../lib/durations.ts'
import type { Log } from '../../ports/log.ts'
import type { MailStore } from '../../ports/store.ts'
import { type ChatNeeds, postToChat } from '../sending/post-to-chat.ts'

type UnpairedNeeds = ChatNeeds & { readonly store: Pick<MailStore, 'addDeadLetter'>; readonly log: Log }

/** A dead letter without a user counts against nobody's quota, so its size is bounded here. */
const MAX_LETTER_BYTES = 4096
const LETTERS = { times: 20, perMs: HOUR }
const KINDS_OF_LETTERS = 2
/** The SOS of a device is reported again after this time: someone may still be pressing. */
const OF_ONE_DEVICE = { times: 1, perMs: 15 * MINUTE }
const CHATS = { times: 20, perMs: HOUR }
const MAX_DEVICES = 1000

/** `ring`: makes it ring on the board. `isPress`: a separate press, not a flag that stays set for hours. */
type StrangerSos = { readonly isPress: boolean; readonly ring: () => Promise<void> }

/** No user, so that only operators of the whole site see it. */
const NOBODY = ''

/**
 * Handles uplinks of devices that nobody has paired. Their SOS alarms no contacts, because the owner is unknown: it
 * rings on the board, and goes to the log, the metrics, the dead letters and the application's chat. All of it is
 * bounded, and uplinks without an SOS cannot use up what an SOS needs. devices.md#lorawan.
 */
export const unpairedUplinks = (needs: UnpairedNeeds) => {
  const { store, clock, log } = needs
  const tell = postToChat(needs)
  const letters = new RateLimiter(LETTERS, KINDS_OF_LETTERS)
  const chats = new RateLimiter(CHATS, 1)
  const told = new RateLimiter(OF_ONE_DEVICE, MAX_DEVICES)
  const rung = new RateLimiter(OF_ONE_DEVICE, MAX_DEVICES)

  const keep = async (server: NetworkServer, kind: 'sos' | 'other', reason: string, raw: Uint8Array) => {
    const now = clock.now()
    if (!letters.take(kind, now)) return
    const payload = raw.subarray(0, MAX_LETTER_BYTES)
    await store.addDeadLetter({ userId: NOBODY, topic: `lorawan/${server.name}`, reason, payload, receivedAt: now })
  }

  return {
    /** `sos`: null if it is not an SOS. Rejects if it cannot ring: the network server then sends it again. */
    async heard(server: NetworkServer, uplink: Uplink, sos: StrangerSos | null, raw: Uint8Array) {
      const { devEui } = uplink
      if (sos === null) {
        log.info({ server: server.name, devEui }, 'an uplink of a device that nobody has paired', devEui)
        return 'unknown' as const
      }
      const now = clock.now()
      const key = `${server.appId} ${devEui}`
      if (told.take(key, now)) {
        log.error({ server: server.name, devEui, gateway: uplink.gateway }, 'an SOS of a device that nobody has paired')
        if (chats.take('', now)) {
          tell(server.appId, 'stranger', (application) => strangerText(application, devEui, uplink.gateway)).catch(
            (error) => log.error({ err: error }, 'that SOS could not be posted to the chat'),
          )
        }
        // People are told even if the disk is full, and only once.
        await keep(server, 'sos', `SOS of ${devEui}, which nobody has paired`, raw).catch((error) => {
          log.warn({ err: error }, 'that SOS could not be kept as a dead letter')
        })
      }
      if (rung.take(key, now) || sos.isPress) {
        await sos.ring().catch((error) => {
          rung.giveBack(key)
          throw error
        })
      }
      return 'unknown_sos' as const
    },

    async unreadable(server: NetworkServer, reason: string, raw: Uint8Array) {
      log.warn({ server: server.name, reason }, 'a network server sent what cannot be read', reason)
      await keep(server, 'other', reason, raw)
      return 'unreadable' as const
    },
  }
}
