import { openInbox } from '../adapters/inbound/sms/inbox.ts'
import { answerSms } from '../app/answers/answer-sms.ts'
import { recordReceipt } from '../app/answers/record-receipt.ts'
import { firstName } from '../core/text/person-name.ts'
import type { Modem } from './modem.ts'
import { smsNotes } from './sms-notes.ts'
import type { SosBySms } from './sms-sos.ts'
import type { Basis } from './storage.ts'

/** Handles texts of contacts to the modem. Resolves to a function that stops it. */
export function takeSmsAnswers(
  basis: Basis,
  {
    modem,
    noted,
    publicUrl,
    sos,
  }: {
    readonly modem: Modem
    readonly noted: (incidentId: string) => void
    readonly publicUrl: () => string
    readonly sos: SosBySms
  },
): () => Promise<void> {
  const { log, meter } = basis
  const keep = smsNotes(basis, noted)
  const answer = answerSms({
    ...basis,
    sent: modem.codes,
    reply: (to, text) => modem.reply(to, text),
    keepNote: (incident, { name }, text) => keep(incident, `${firstName(name)} (SMS)`, text),
    recordReceipt: recordReceipt(basis),
    publicUrl,
  })

  const inbox = openInbox({
    directory: modem.spool.inbox,
    handle: sos.through({ answer, sent: modem.codes }),
    onTrouble: (why) => {
      modem.state.inboxFault = why
    },
    onMalformed: () => meter.count('sms_answers_total', { answer: 'malformed' }),
    log,
  })
  void inbox.look()
  return () => inbox.close()
}
