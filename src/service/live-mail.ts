import type { Mail, MailClient } from '../adapters/outbound/smtp/smtp-client.ts'
import { heldLane } from '../app/sending/lane.ts'
import type { MailSender } from '../app/sending/mail-sender.ts'
import { NO_TURN } from '../app/sending/text-sender.ts'
import { type AttemptOutcome, CANNOT_BE_ASKED } from '../core/incident/command.ts'
import { HOUR } from '../lib/durations.ts'
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

/**
 * News to operators also leaves through the former servers: the new one may be an attacker's. As long as the news of
 * the change may wait for its mail (operator-mails.ts), and for each of several changes.
 */
const WITNESS_MS = 2 * HOUR
/** Each costs a connection for every mail. Beyond them none is added: the first may be the last honest one. */
const MAX_WITNESSES = 10

/**
 * A mail that is with a former server ends there; one that only waits for its turn gets in line again. So no mail to a
 * contact leaves twice.
 */
export function liveMail(first: SiteMail | null, { clock }: { readonly clock: Pick<Clock, 'now'> }): LiveMail {
  const placeOf = (mail: SiteMail | null): Place => ({ mail, underWay: 0, isFormer: false })
  let now = placeOf(first)
  const former = new Set<Place>()
  const listeners: (() => void)[] = []
  let witnesses: readonly { readonly place: Place; readonly until: number }[] = []

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
  const witnessesNow = (): readonly Place[] => {
    witnesses = witnesses.filter(({ until }) => clock.now() < until)
    return witnesses.map(({ place }) => place)
  }
  function addWitness(place: Place): void {
    const server = place.mail?.server ?? null
    const known = witnessesNow()
    if (server === null || known.length >= MAX_WITNESSES || known.some(({ mail }) => mail?.server === server)) return
    witnesses = [...witnesses, { place, until: clock.now() + WITNESS_MS }]
  }

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
      const others = witnessesNow().filter(({ mail }) => mail?.server !== now.mail?.server)
      const [first, ...more] = now.mail === null ? others : [now, ...others]
      if (first === undefined) return null
      const through = (place: Place, mail: Mail) => at(place, ({ client }) => client.send(mail))
      return async (mail: Mail) => {
        const [outcome] = await Promise.all([through(first, mail), ...more.map((place) => through(place, mail))])
        return outcome
      }
    },
    replace(next) {
      const old = now
      now = placeOf(next)
      old.isFormer = true
      former.add(old)
      if (old.mail?.server !== next?.server) addWitness(old)
      for (const listener of listeners) listener()
      if (old.underWay === 0) end(old)
    },
    onReplaced: (listener) => void listeners.push(listener),
    close() {
      for (const place of [...former]) end(place)
      now.mail?.close()
      for (const { place } of witnesses) place.mail?.client.close()
    },
  }
}

/** In place of a server that this node cannot use: mails wait for a node that can, or until this one can. */
export function heldMail(clock: Clock): SiteMail {
  const lane = heldLane(clock)
  const lookUp = async () => CANNOT_BE_ASKED
  return {
    server: null,
    sender: { lane, send: async () => NO_TURN, lookUp, close: () => lane.close() },
    client: { send: async () => NO_TURN, close() {} },
    close: () => lane.close(),
  }
}
