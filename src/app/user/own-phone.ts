import { CODE_MS, digitsOf, type PhoneProof } from '../../core/account/phone-proof.ts'
import { personLanguages, type User } from '../../core/account/profile.ts'
import type { Session } from '../../core/account/session.ts'
import { isoAt } from '../../core/ingest/event-time.ts'
import { phoneCodeText } from '../../core/message/phone-code-text.ts'
import { entry, OWN_APP } from '../../core/operator/audit.ts'
import { DAY } from '../../lib/durations.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Ids } from '../../ports/ids.ts'
import type { Log } from '../../ports/log.ts'
import type { AccountStore, ApplicationStore, OperatorStore, SmsStore } from '../../ports/store.ts'
import type { RemovalNews } from './removal-news.ts'
import { type TextNeeds, textToUser } from './text-to-user.ts'

type OwnPhoneNeeds = {
  readonly store: Pick<SmsStore, 'phoneProof' | 'requestPhoneCode' | 'provePhone' | 'changeSmsCode'> &
    Pick<AccountStore, 'user'> &
    Pick<ApplicationStore, 'application'> &
    Pick<OperatorStore, 'addAuditRow'>
  readonly clock: Pick<Clock, 'now'>
  readonly ids: Pick<Ids, 'uuid' | 'secret'>
  /** Codes that the whole site sends in 24 h. */
  readonly perDay: number
  readonly sendText: TextNeeds['sendText']
  /** Loaded with its first use. */
  readonly news: () => Promise<Pick<RemovalNews, 'textsOf' | 'tell'>>
  readonly log: Log
}

const CODE_DIGITS = 6
const SMS_DIGITS = 4
/** The former number is told at once and after a day. */
const TOLD_FOR_MS = 2 * DAY
/** Codes that wait for their turn behind alarms; in memory, because a user asks again. */
const MAX_WAITING = 50

/**
 * The state of a profile's number. `phoneTakenAt`: another user has proved it since. `smsSos`: null where the
 * application takes no SOS by SMS; `code`, and the number that it counts `from`: null without a proof.
 */
export type PhoneView = {
  readonly phoneProvedAt: string | null
  readonly phoneTakenAt: string | null
  readonly smsSos: {
    readonly number: string | null
    readonly code: string | null
    readonly from: string | null
  } | null
}

/** The proof of the user's own number, and the code of their texts. preparing.md#phone-proof. */
export const ownPhone = ({ store, clock, ids, perDay, sendText, news, log }: OwnPhoneNeeds) => {
  let waiting = 0

  /** Whether a proof of the profile's number would take the place of another number. */
  async function replaces(userId: string): Promise<boolean> {
    const [proof, user] = await Promise.all([store.phoneProof(userId), store.user(userId)])
    return proof !== null && proof.takenAt === null && proof.phone !== user?.phone
  }

  /** Sends a text behind every alarm, or not at all. */
  async function send({ appId, userId }: Session, phone: string, code: string): Promise<void> {
    const [application, user] = await Promise.all([store.application(appId), store.user(userId)])
    if (application === null) return
    const languages = personLanguages(user, application)
    const text = phoneCodeText(languages, { app: application.name, code })
    await textToUser({ clock, ids, sendText }, languages, { to: phone, text, until: clock.now() + CODE_MS })
  }

  function sendLater(...[session, phone, code]: Parameters<typeof send>): void {
    waiting += 1
    void send(session, phone, code)
      .then(() => log.info({ userId: session.userId }, 'a code was sent to a number'))
      .catch((error) => log.warn({ err: error }, 'could not send a code to a number'))
      .finally(() => {
        waiting -= 1
      })
  }

  return {
    /** Sends a code to the number of the profile, behind every alarm. `network`: where it is asked for. */
    async ask(session: Session, network: string) {
      if (waiting >= MAX_WAITING) return { refused: 'code_limit', retryAfterMs: 60_000 } as const
      const code = digitsOf(ids.secret(), CODE_DIGITS)
      const request = { id: ids.uuid(), code, network, now: clock.now(), perDay }
      const asked = await store.requestPhoneCode(session.userId, request)
      if ('refused' in asked) return asked
      sendLater(session, asked.phone, code)
      return { expiresAt: isoAt(clock.now() + CODE_MS) }
    },

    /**
     * The user whose proof it takes is told by their profile, operators by the audit log; the user's former number,
     * which may be in other hands than this session, by a text, and once more a day later.
     */
    async prove(session: Session, code: string) {
      const { appId, userId } = session
      const { textsOf, tell } = await news()
      const texts = (await replaces(userId)) ? await textsOf(session, { asked: 'replaced', inMs: TOLD_FOR_MS }) : []
      const now = clock.now()
      const said = { code, smsCode: digitsOf(ids.secret(), SMS_DIGITS), now }
      const proved = await store.provePhone(userId, said, texts)
      if ('refused' in proved) return proved
      const { takenFrom, replaced } = proved
      if (replaced !== null) tell(texts.map((text) => ({ ...text, phone: replaced })))
      if (takenFrom !== null) {
        const owner = await store.user(takenFrom)
        const about = { appId: owner?.appId ?? appId, userId: takenFrom }
        await store
          .addAuditRow(entry({ at: now, actor: OWN_APP, action: 'phone.taken', ...about }))
          .catch((error) => log.warn({ err: error }, 'could not note that a number was taken'))
      }
      return proved
    },

    /** Null: a random one. */
    changeCode: ({ userId }: Session, code: string | null) =>
      store.changeSmsCode(userId, code ?? digitsOf(ids.secret(), SMS_DIGITS)),

    /** The state of the profile's number. */
    async view({ id, appId, phone }: User): Promise<PhoneView> {
      const [proof, application] = await Promise.all([store.phoneProof(id), store.application(appId)])
      return phoneView(proof, { phone, number: application?.smsSos === true ? application.smsNumber : false })
    },
  }
}

/** `phone`: of the profile. `number`: that of the service, false where it takes no SOS by SMS. */
function phoneView(
  proof: PhoneProof | null,
  { phone, number }: { readonly phone: string | null; readonly number: string | null | false },
): PhoneView {
  const { provedAt = null, takenAt = null, code = null, phone: from = null } = proof ?? {}
  const isOfProfile = from !== null && from === phone
  const counts = proof !== null && takenAt === null
  return {
    phoneProvedAt: isOfProfile && counts && provedAt !== null ? isoAt(provedAt) : null,
    phoneTakenAt: isOfProfile && takenAt !== null ? isoAt(takenAt) : null,
    smsSos: number === false ? null : { number, code: counts ? code : null, from: counts ? from : null },
  }
}
