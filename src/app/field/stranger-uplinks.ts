import type { Uplink } from '../../core/field/lorawan/network-event.ts'
import type { NetworkServer } from '../../core/field/lorawan/network-server.ts'
import { HourlyQuota } from '../../core/pacing/hourly-quota.ts'
import { strangerText } from '../../core/text/stranger.ts'
import { MINUTE } from '../../lib/durations.ts'
import type { Log } from '../../ports/log.ts'
import type { MailStore } from '../../ports/store.ts'
import { type ChatParts, postToChat } from '../sending/post-to-chat.ts'

type Parts = ChatParts & { readonly store: Pick<MailStore, 'addDeadLetter'>; readonly log: Log }

/** A dead letter without a user is charged to nobody's quota, so what is kept of it is bounded here. */
const MAX_LETTER_BYTES = 4096
const MAX_LETTERS_AN_HOUR = 20
/** The SOS of a device is reported again after this time: someone may still be pressing. */
const TOLD_MS = 15 * MINUTE
const MAX_TOLD_AN_HOUR = 20
const MAX_DEVICES = 1000

/** `ring`: has it ring on the board. `isPress`: a press of its own, not a flag that stays set for hours. */
type StrangerSos = { readonly isPress: boolean; readonly ring: () => Promise<void> }

/** Without a user, so that only operators of the whole site see it. */
const NOBODY = ''

/**
 * Uplinks of devices that nobody has paired. An SOS of one alarms no contacts, because its owner is unknown: it rings
 * on the board, and is in the log, the metrics, the dead letters and the application's chat. All of it is bounded, and
 * uplinks without an SOS cannot use up what an SOS needs. rules.md#lorawan.
 */
export const strangerUplinks = (parts: Parts) => {
  const { store, clock, log } = parts
  const tell = postToChat(parts)
  const letters = { sos: new HourlyQuota(MAX_LETTERS_AN_HOUR), other: new HourlyQuota(MAX_LETTERS_AN_HOUR) }
  const chats = new HourlyQuota(MAX_TOLD_AN_HOUR)
  const told = new Map<string, number>()
  const rung = new Map<string, number>()

  const keep = async (server: NetworkServer, kind: keyof typeof letters, reason: string, raw: Uint8Array) => {
    const now = clock.now()
    if (!letters[kind].takes(now)) return
    const payload = raw.subarray(0, MAX_LETTER_BYTES)
    await store.addDeadLetter({ userId: NOBODY, topic: `lorawan/${server.name}`, reason, payload, receivedAt: now })
  }

  /** Whether this device's SOS is not among `lately` for a while. */
  const isNews = (lately: Map<string, number>, key: string, now: number): boolean => {
    const before = lately.get(key)
    if (before !== undefined && Math.abs(now - before) < TOLD_MS) return false
    lately.delete(key)
    lately.set(key, now)
    const [oldest] = lately.keys()
    if (lately.size > MAX_DEVICES && oldest !== undefined) lately.delete(oldest)
    return true
  }

  return {
    /** `sos`: null if it is none. Rejects if it cannot ring: the network server then sends it again. */
    async heard(server: NetworkServer, uplink: Uplink, sos: StrangerSos | null, raw: Uint8Array) {
      const { devEui } = uplink
      if (sos === null) {
        log.info({ server: server.name, devEui }, 'an uplink of a device that nobody has paired', devEui)
        return 'unknown' as const
      }
      const now = clock.now()
      const key = `${server.appId} ${devEui}`
      if (isNews(told, key, now)) {
        log.error({ server: server.name, devEui, gateway: uplink.gateway }, 'an SOS of a device that nobody has paired')
        if (chats.takes(now)) {
          tell(server.appId, 'stranger', (application) => strangerText(application, devEui, uplink.gateway)).catch(
            (error) => log.error({ err: error }, 'that SOS could not be posted to the chat'),
          )
        }
        // People are told even when the disk is full, and once.
        await keep(server, 'sos', `SOS of ${devEui}, which nobody has paired`, raw).catch((error) => {
          log.warn({ err: error }, 'that SOS could not be kept as a dead letter')
        })
      }
      if (isNews(rung, key, now) || sos.isPress) {
        await sos.ring().catch((error) => {
          rung.delete(key)
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
