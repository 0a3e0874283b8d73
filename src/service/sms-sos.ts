import { randomInt } from 'node:crypto'
import { isOfOpenIncident } from '../app/answers/awaited-answer.ts'
import { type ReceivedSms, type SmsOfUsers, type TakeSms, takeSms } from '../app/answers/take-sms.ts'
import type { PatientTexts } from '../app/sending/patient-texts.ts'
import { HOUR } from '../lib/durations.ts'
import type { SentTexts } from '../ports/sent-texts.ts'
import type { Closers } from './closers.ts'
import type { Sending } from './sending.ts'
import { smsNotes } from './sms-notes.ts'
import type { Basis } from './storage.ts'

/** The newest texts to a number that tell whether it is asked about an open alarm. */
const MAX_TEXTS = 10
const FIRST_CODE = 1000
const ALL_CODES = 9000

/** How texts of contacts get there. Null: their answers do not come this way. */
type Way = {
  readonly answer: (sms: ReceivedSms) => Promise<void>
  readonly sent: (SentTexts & { codeFor(to: string): Promise<string> }) | null
}

/** SOS by SMS. Its code is loaded with the first text to a site of which an application takes them. */
export type SosBySms = {
  /** Takes texts that arrive through one provider. */
  through(way: Way): TakeSms
  /** For `/readyz` and the board: answers that were held back within an hour. Null: none. */
  concern(): string | null
}

const none: SmsOfUsers = { sos: async () => false, notMe: async () => false, note: async () => {} }

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
  const { store, clock } = basis
  let held = { answers: 0, at: Number.NEGATIVE_INFINITY }
  let texts: Promise<PatientTexts> | null = null
  closers.add(async () => (await texts)?.stop())

  const textsOf = async (): Promise<PatientTexts> => {
    const { patientTexts } = await import('../app/sending/patient-texts.ts')
    const waiting = () => sending.text.waiting('sms')
    return patientTexts({ ...basis, waiting, sendText: (text) => sending.sender.send(text) })
  }

  /** Whether the number was texted as a contact of an alarm that is still open. */
  const askedBy = (sent: SentTexts | null) => async (from: string) => {
    const newest = sent === null ? [] : (await sent.sentTo(from)).slice(0, MAX_TEXTS)
    const isOfOpen = isOfOpenIncident(store)
    return (await Promise.all(newest.map(({ attemptId }) => isOfOpen(attemptId)))).includes(true)
  }

  async function begin({ sent }: Pick<Way, 'sent'>): Promise<SmsOfUsers> {
    texts ??= textsOf()
    const [{ smsOfUsers }, patient] = await Promise.all([import('../app/answers/sms-of-users.ts'), texts])
    return smsOfUsers({
      ...basis,
      publicUrl,
      isAsked: askedBy(sent),
      codeFor: async (to) => (sent === null ? String(FIRST_CODE + randomInt(ALL_CODES)) : sent.codeFor(to)),
      send: (text, until) => patient.send(text, until),
      keepNote: smsNotes(basis, noted),
      onHeld(answers) {
        held = { answers, at: clock.now() }
      },
    })
  }

  return {
    through({ answer, sent }) {
      let begun: Promise<SmsOfUsers> | null = null
      const isTaken = async () => (await store.applications()).some(({ smsSos, disabled }) => smsSos && !disabled)
      return async (sms) => {
        if (begun === null && (await isTaken())) begun = begin({ sent })
        const ofUsers = begun === null ? none : await begun
        const isContactsCode = async (from: string, code: string) =>
          sent !== null && (await sent.sentTo(from)).some((text) => text.code === code)
        return takeSms({ ofUsers, answer, isContactsCode })(sms)
      }
    },
    concern: () => (clock.now() - held.at < HOUR ? `SMS flood: ${held.answers} answers held` : null),
  }
}
