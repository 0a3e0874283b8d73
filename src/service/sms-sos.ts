import { randomInt } from 'node:crypto'
import { isOfOpenIncident } from '../app/answers/awaited-answer.ts'
import { type ReceivedSms, type SmsOfUsers, type TakeSms, takeSms } from '../app/answers/take-sms.ts'
import type { SmsReplies } from '../app/ingest/sms-replies.ts'
import { signedIn } from '../app/operator/signed-in.ts'
import type { PatientTexts } from '../app/sending/patient-texts.ts'
import type { TalkBySms } from '../app/talk/talk-by-sms.ts'
import type { Incident } from '../core/incident/incident.ts'
import { HOUR } from '../lib/durations.ts'
import { onDemand } from '../lib/on-demand.ts'
import type { SentTexts } from '../ports/sent-texts.ts'
import { Closers } from './closers.ts'
import type { Sending } from './sending.ts'
import { smsNotes } from './sms-notes.ts'
import type { Basis } from './storage.ts'

/** The newest texts to a number that tell whether it is asked about an open alarm. */
const MAX_TEXTS = 10
const FIRST_CODE = 1000
const ALL_CODES = 9000

/** Passes on the texts of contacts. Null: their answers do not arrive this way. */
type Way = {
  readonly answer: (sms: ReceivedSms) => Promise<void>
  readonly sent: (SentTexts & { codeFor(to: string): Promise<string> }) | null
}

/** SOS by SMS. Its code is loaded with the first text, if any application takes them. */
export type SosBySms = {
  /** Takes texts that arrive through one provider. */
  through(way: Way): TakeSms
  /** Texts new lines of the talk to a person who has alarmed by SMS. Never throws. */
  told(incident: Pick<Incident, 'id' | 'appId'>): void
  /** For `/readyz` and the board: answers that were held back within an hour. Null: none. */
  concern(): string | null
}

const none: SmsOfUsers = {
  sos: async () => false,
  notMe: async () => false,
  note: async () => {},
  stop: async () => {},
}

export function smsSosOf(
  basis: Basis,
  {
    sending,
    publicUrl,
    noted,
  }: {
    readonly sending: Pick<Sending, 'sender' | 'text'>
    readonly publicUrl: () => string
    readonly noted: (incidentId: string) => void
  },
  closers: Closers,
): SosBySms {
  const { store, clock, log } = basis
  const isWatched = signedIn(basis)
  let held = { answers: 0, at: Number.NEGATIVE_INFINITY }
  /** What has been loaded. */
  const opened = new Closers()
  closers.add(() => opened.closeAll())

  const texts = onDemand(async (): Promise<PatientTexts> => {
    const { patientTexts } = await import('../app/sending/patient-texts.ts')
    const waiting = () => sending.text.waiting('sms')
    const patient = patientTexts({ ...basis, waiting, sendText: (text) => sending.sender.send(text) })
    opened.add(() => patient.stop())
    return patient
  })

  /** Whether the number was texted as a contact of an alarm that is still open. */
  const askedBy = (sent: SentTexts | null) => async (from: string) => {
    const newest = sent === null ? [] : (await sent.sentTo(from)).slice(0, MAX_TEXTS)
    const isOfOpen = isOfOpenIncident(store)
    return (await Promise.all(newest.map(({ attemptId }) => isOfOpen(attemptId)))).includes(true)
  }

  const talk = onDemand(async (): Promise<TalkBySms> => {
    const [{ talkBySms }, patient] = await Promise.all([import('../app/talk/talk-by-sms.ts'), texts()])
    const talking = talkBySms({ ...basis, texts: patient, feed: basis.talk, noted })
    opened.add(() => talking.close())
    return talking
  })

  async function repliesOf({ sent }: Pick<Way, 'sent'>): Promise<SmsReplies> {
    const [{ smsReplies }, patient] = await Promise.all([import('../app/ingest/sms-replies.ts'), texts()])
    const replies = smsReplies({
      ...basis,
      texts: patient,
      codeFor: async (to) => (sent === null ? String(FIRST_CODE + randomInt(ALL_CODES)) : sent.codeFor(to)),
      onHeld(answers) {
        held = { answers, at: clock.now() }
      },
    })
    opened.add(() => replies.close())
    return replies
  }

  async function begin(way: Pick<Way, 'sent'>): Promise<SmsOfUsers> {
    const [{ smsOfUsers }, replies, talking] = await Promise.all([
      import('../app/ingest/sms-of-users.ts'),
      repliesOf(way),
      talk(),
    ])
    return smsOfUsers({
      ...basis,
      publicUrl,
      isAsked: askedBy(way.sent),
      // If it is unknown whether anyone watches the board, contacts are told.
      isHeard: async ({ id, fallbackContact }) => fallbackContact !== null || isWatched(id).catch(() => false),
      replies,
      talk: talking,
      keepNote: smsNotes(basis, noted),
    })
  }

  return {
    through({ answer, sent }) {
      const begun = onDemand(() => begin({ sent }))
      let isTaken = false
      return async (sms) => {
        isTaken ||= (await store.applications()).some(({ smsSos, disabled }) => smsSos && !disabled)
        const ofUsers = isTaken ? await begun() : none
        const isContactsCode = async (from: string, code: string) =>
          sent !== null && (await sent.sentTo(from)).some((text) => text.code === code)
        return takeSms({ ofUsers, answer, isContactsCode })(sms)
      }
    },
    told({ id, appId }) {
      void store
        .application(appId)
        .then(async (application) => application?.smsSos && (await talk()).told(id))
        .catch((error) => log.warn({ err: error, incidentId: id }, 'could not text what is new in the talk'))
    },
    concern: () =>
      held.answers > 0 && clock.now() - held.at < HOUR ? `SMS flood: ${held.answers} answers held` : null,
  }
}
