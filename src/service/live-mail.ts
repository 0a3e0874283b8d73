import type { Mail, MailClient } from '../adapters/outbound/smtp/smtp-client.ts'
import { heldLane } from '../app/sending/lane.ts'
import type { MailSender } from '../app/sending/mail-sender.ts'
import { NO_TURN } from '../app/sending/text-sender.ts'
import type { AttemptOutcome } from '../core/incident/command.ts'
import { MINUTE } from '../lib/durations.ts'
import type { Clock } from '../ports/clock.ts'
import type { MailNotification } from '../ports/notifier.ts'

/** The mail server: `sender` for contacts, in a lane; `client` for everything else. */
export type SiteMail = {
  /** Its address and the sender's; null: unknown here. */
  readonly server: string | null
  readonly sender: MailSender
  readonly client: MailClient
  close(): void
}

/** The mail server, which can be replaced while mails are on their way. */
export type LiveMail = {
  /** For contacts. Null: the site sends no mail. */
  readonly sender: Omit<MailSender, 'close'> | null
  /** To an operator; null: there is no server. */
  readonly toOperator: ((mail: Mail) => Promise<AttemptOutcome>) | null
  /** Mails from here on leave through `next`. */
  replace(next: SiteMail | null): void
  /** Calls `listener` after the server has changed. */
  onReplaced(listener: () => void): void
  close(): void
}

type Place = { readonly mail: SiteMail | null; underWay: number; isFormer: boolean }

/** The news that the mail server was changed also leaves through the former one: the new one may be an attacker's. */
const WITNESS_MS = 10 * MINUTE

/**
 * A mail that is with a former server ends there; one that only waits for its turn gets in line again. So no mail to a
 * contact leaves twice.
 */
export function liveMail(first: SiteMail | null, { clock }: { readonly clock: Pick<Clock, 'now'> }): LiveMail {
  const placeOf = (mail: SiteMail | null): Place => ({ mail, underWay: 0, isFormer: false })
  let now = placeOf(first)
  const former = new Set<Place>()
  const listeners: (() => void)[] = []
  let witness: { readonly client: SiteMail['client']; readonly until: number } | null = null

  const end = (place: Place): void => {
    if (former.delete(place)) place.mail?.close()
  }
  async function at<R>(place: Place, work: (mail: SiteMail) => Promise<R>): Promise<R> {
    place.underWay += 1
    try {
      return await work(place.mail!)
    } finally {
      place.underWay -= 1
      if (place.isFormer && place.underWay === 0) end(place)
    }
  }
  const witnessNow = () => (witness !== null && clock.now() < witness.until ? witness.client : null)

  return {
    get sender() {
      const place = now
      if (place.mail === null) return null
      return {
        lane: place.mail.sender.lane,
        send: (...asked: Parameters<MailSender['send']>) => at(place, ({ sender }) => sender.send(...asked)),
        lookUp: (asked: MailNotification) => at(place, ({ sender }) => sender.lookUp(asked)),
      }
    },
    get toOperator() {
      const place = now
      const seen = witnessNow()?.send ?? null
      if (place.mail === null) return seen
      return async (mail: Mail) => {
        const [outcome] = await Promise.all([at(place, ({ client }) => client.send(mail)), seen?.(mail)])
        return outcome
      }
    },
    replace(next) {
      const old = now
      now = placeOf(next)
      old.isFormer = true
      former.add(old)
      if (old.mail !== null && old.mail.server !== next?.server) {
        witness = { client: old.mail.client, until: clock.now() + WITNESS_MS }
      }
      for (const listener of listeners) listener()
      if (old.underWay === 0) end(old)
    },
    onReplaced: (listener) => void listeners.push(listener),
    close() {
      for (const place of [...former]) end(place)
      now.mail?.close()
      witness?.client.close()
    },
  }
}

/** In place of a server that this node cannot use: mails wait for a node that can, or until this one can. */
export function heldMail(clock: Clock): SiteMail {
  const lane = heldLane(clock)
  const lookUp: MailSender['lookUp'] = async () => ({ kind: 'not_found' })
  return {
    server: null,
    sender: { lane, send: async () => NO_TURN, lookUp, close: () => lane.close() },
    client: { send: async () => NO_TURN, close() {} },
    close: () => lane.close(),
  }
}
