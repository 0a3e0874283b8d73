import { isAllowedDestination } from '../../core/account/contact.ts'
import type { Incident } from '../../core/incident/incident.ts'
import { isFullNumber } from '../../core/incident/sms-reach.ts'
import { hasTalk } from '../../core/incident/talk.ts'
import { mayText, NO_SMS_TALK, type SmsTalk, TEXTED_WITHIN_MS } from '../../core/message/sms-talk.ts'
import { inNextTurn } from '../../lib/waits.ts'
import type { ApplicationStore, SmsStore } from '../../ports/store.ts'

export type ReadTalkTexts = Pick<SmsStore, 'phoneProof' | 'smsAlerts'> & Pick<ApplicationStore, 'application'>

/** The texts sent to a person who alarmed by SMS. `askedAt`: of the SOS. `isPossible`: more may be sent. */
export type TalkTexts = {
  readonly phone: string
  readonly talk: SmsTalk
  readonly askedAt: number
  readonly isPossible: boolean
}

/** Null: the talk of this incident does not go by SMS. sms.md#talk-by-sms. */
export async function talkTexts(store: ReadTalkTexts, incident: Incident, now: number): Promise<TalkTexts | null> {
  const proof = hasTalk(incident) ? await inNextTurn(() => store.phoneProof(incident.userId)) : null
  if (proof === null) return null
  const { phone, takenAt } = proof
  const rows = await inNextTurn(() => store.smsAlerts(phone, now - TEXTED_WITHIN_MS))
  const first = rows.findLast((row) => row.incidentId === incident.id)
  if (first === undefined) return null
  const application = await inNextTurn(() => store.application(incident.appId))
  const isTaken = application?.smsSos === true && takenAt === null && isFullNumber(phone)
  return {
    ...{ phone, talk: first.talk ?? NO_SMS_TALK, askedAt: first.receivedAt },
    isPossible: isTaken && mayText(incident) && isAllowedDestination(phone, application.allowedPrefixes),
  }
}
