import { openInbox } from '../adapters/inbound/sms/inbox.ts'
import { answerSms } from '../app/answers/answer-sms.ts'
import { recordReceipt } from '../app/answers/record-receipt.ts'
import type { Incident, IncidentContact } from '../core/incident/incident.ts'
import { entry } from '../core/operator/audit.ts'
import { firstName } from '../core/text/person-name.ts'
import type { Modem } from './modem.ts'
import type { Basis } from './storage.ts'

/** Of all notes of an incident; operators have room beyond that. */
const MAX_NOTES = 50
const MAX_NOTE_LENGTH = 500

/** Handles texts of contacts to the modem. Resolves to a function that stops it. */
export function takeSmsAnswers(
  basis: Basis,
  {
    modem,
    noted,
    publicUrl,
  }: { readonly modem: Modem; readonly noted: (incidentId: string) => void; readonly publicUrl: () => string },
): () => Promise<void> {
  const { store, clock, ids, log, meter } = basis

  async function keepNote({ id, appId, userId }: Incident, { name }: IncidentContact, text: string): Promise<boolean> {
    const at = clock.now()
    const harmless = text
      .toWellFormed()
      .replaceAll(/\p{Cc}+/gu, ' ')
      .trim()
      .slice(0, MAX_NOTE_LENGTH)
      .toWellFormed()
    if (harmless === '') return false
    const note = { id: ids.uuid(), by: `${firstName(name)} (SMS)`, at, text: harmless }
    const actor = { kind: 'command', id: null, name: 'SMS' } as const
    const row = entry({ at, actor, action: 'incident.note', appId, userId, subject: id })
    const added = await store.addIncidentNote(id, note, MAX_NOTES, row)
    if ('refused' in added) return false
    noted(id)
    return true
  }

  const inbox = openInbox({
    directory: modem.spool.inbox,
    handle: answerSms({
      ...basis,
      sent: modem.codes,
      reply: (to, text) => modem.reply(to, text),
      keepNote,
      recordReceipt: recordReceipt(basis),
      publicUrl,
    }),
    onTrouble: (why) => {
      modem.state.inboxFault = why
    },
    onMalformed: () => meter.count('sms_answers_total', { answer: 'malformed' }),
    log,
  })
  void inbox.look()
  return () => inbox.close()
}
