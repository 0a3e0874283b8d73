import { send } from '../api/client.ts'
import type { Case, ContactState } from '../api/types.ts'
import { readable } from '../logic/plain-text.ts'
import { failureText } from '../logic/service-words.ts'
import { texts } from '../state/language.ts'
import { mayAct } from '../state/session.ts'
import { Empty, Panel, Problem } from './controls.tsx'
import { ago } from './moment.tsx'
import { PhoneNumber } from './phone-number.tsx'
import { isBySms } from './places.tsx'
import { useTask } from './task.ts'
import { shownStatus, worded } from './wording.ts'

/** Each contact, with their answer and the progress of messages to them. */
export function Contacts({ found, onTook }: { readonly found: Case; readonly onTook: (found: Case) => void }) {
  const t = texts.value
  const task = useTask()
  const { incidentId, closedAt } = found.incident
  const act = (path: string, contactId: string) => () =>
    void task.run(async () => onTook(await send<Case>(`/incidents/${incidentId}/${path}`, { contactId })))
  const show = (contactId: string) => () =>
    void task.run(async () => onTook(await send<Case>(`/incidents/${incidentId}/contacts/${contactId}/show-position`)))
  const said = ({ response, acknowledgedAt }: ContactState): string | null => {
    if (response !== null) {
      const what =
        response.kind === 'coming' ? t.comingIn(response.etaMinutes ?? 0) : worded(t.responses, response.kind)
      return `${what}, ${ago(response.at)}`
    }
    return acknowledgedAt === null ? null : `${t.responses.acknowledged}, ${ago(acknowledgedAt)}`
  }
  return (
    <Panel title={t.contacts}>
      {found.incident.fewTold && (
        <p class="hint">{t.fewToldMeans[isBySms(found.incident) ? 'sms' : found.incident.fewTold]}</p>
      )}
      {found.incident.contactsChangedAt && <p class="hint">{t.contactsChanged}</p>}
      {found.incident.accountChangedAt && <p class="hint">{t.accountChanged}</p>}
      {found.incident.nobodyLeft && <p class="hint">{t.nobodyLeft}</p>}
      {found.contacts.length === 0 && <Empty>{t.noContacts}</Empty>}
      <ul class="contacts">
        {found.contacts.map((contact) => (
          <li key={contact.contactId}>
            <div class="contact-who">
              <span>
                <strong>{readable(contact.name) ?? t.somebody}</strong>
                {contact.phone !== null && (
                  <a href={`tel:${contact.phone}`}>
                    <PhoneNumber number={contact.phone} />
                  </a>
                )}
              </span>
              {said(contact) !== null && (
                <span class={contact.response?.kind === 'unable' ? 'said unable' : 'said'}>{said(contact)}</span>
              )}
            </div>
            <ul class="channels">
              {contact.channels.map(({ channel, status, error, at, mayHaveArrived }) => (
                <li key={channel} class={`s-${status}`}>
                  <span>{worded(t.channels, channel)}</span> {worded(t.statuses, shownStatus(status, mayHaveArrived))}
                  {at && <small>{ago(at)}</small>}
                  {error && <small class="error">{failureText(error, t)}</small>}
                </li>
              ))}
            </ul>
            {closedAt === null && contact.joined === 'session' && contact.position === 'withheld' && (
              <small class="quiet">{t.placeWithheld}</small>
            )}
            {contact.onCall && <small class="quiet">{t.views.onCall}</small>}
            {contact.stopped && <small class="quiet">{contact.stopped === 'stop' ? t.saidStop : t.saidStranger}</small>}
            {closedAt === null && contact.position === 'over' && <small class="quiet">{t.placeOver}</small>}
            {mayAct.value && (
              <div class="actions">
                {closedAt === null && (
                  <button type="button" class="small" disabled={task.busy} onClick={act('resend', contact.contactId)}>
                    {t.resend}
                  </button>
                )}
                {closedAt === null &&
                  contact.joined === 'session' &&
                  contact.position === 'withheld' &&
                  !contact.removed && (
                    <button type="button" class="small" disabled={task.busy} onClick={show(contact.contactId)}>
                      {t.showPosition}
                    </button>
                  )}
              </div>
            )}
            {contact.calledBack !== null && (
              <small class="quiet">{t.calledBack(contact.calledBack.by, ago(contact.calledBack.at))}</small>
            )}
          </li>
        ))}
      </ul>
      <Problem text={task.problem} />
    </Panel>
  )
}
