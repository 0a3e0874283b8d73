import { useState } from 'preact/hooks'
import { Problem } from '../../console/parts/blocks.tsx'
import { PhoneNumber } from '../../console/parts/phone-number.tsx'
import type { Contact } from '../../sdk/src/index.ts'
import { texts } from '../state/language.ts'
import { sdk } from '../state/sos.ts'
import { Confirm } from './confirm.tsx'
import { ContactForm } from './contact-form.tsx'
import { useTask } from './task.ts'

/** Why a contact might not help, or that they have confirmed. */
function standing(contact: Contact): string {
  const t = texts.value.contacts
  if (contact.stoppedAt !== undefined) return t.stopped
  if (contact.declinedAt !== undefined) return t.declined
  if (contact.verifiedAt !== undefined) return t.confirmed
  return contact.smsOnly ? t.smsOnly : t.unconfirmed
}

/** The contacts in the order in which they are told. */
export function ContactList({
  contacts,
  onChange,
}: {
  readonly contacts: readonly Contact[]
  readonly onChange: () => Promise<void>
}) {
  const t = texts.value
  const [leaving, setLeaving] = useState<Contact | null>(null)
  const [asked, setAsked] = useState<string | null>(null)
  const [edited, setEdited] = useState<string | null>(null)
  const { busy, problem, run } = useTask()
  const changes = (work: () => Promise<unknown>) => void run(async () => [await work(), await onChange()])
  const moveUp = (at: number) => {
    const ids = contacts.map(({ id }) => id)
    ids.splice(at - 1, 2, ids[at]!, ids[at - 1]!)
    return sdk().contacts.reorder(ids)
  }
  return (
    <>
      <ol class="list">
        {contacts.map((contact, at) => (
          <li key={contact.id}>
            <p>
              <strong>{contact.name}</strong>{' '}
              <span class="number">
                <PhoneNumber number={contact.phone} />
              </span>
              <br />
              <span class={contact.verifiedAt === undefined ? 'unsure' : 'sure'}>{standing(contact)}</span>
            </p>
            <div class="actions">
              {contact.verifiedAt === undefined && contact.declinedAt === undefined && (
                <button
                  type="button"
                  class="small"
                  disabled={busy || asked === contact.id}
                  onClick={() =>
                    changes(() =>
                      sdk()
                        .contacts.verify(contact.id)
                        .then(() => setAsked(contact.id)),
                    )
                  }
                >
                  {asked === contact.id ? t.contacts.asked : t.contacts.ask}
                  <span class="unseen">: {contact.name}</span>
                </button>
              )}
              {at > 0 && (
                <button type="button" class="small" disabled={busy} onClick={() => changes(() => moveUp(at))}>
                  {t.contacts.up}
                  <span class="unseen">: {contact.name}</span>
                </button>
              )}
              <button
                type="button"
                class="small"
                disabled={busy}
                aria-expanded={edited === contact.id}
                onClick={() => setEdited(edited === contact.id ? null : contact.id)}
              >
                {t.contacts.edit}
                <span class="unseen">: {contact.name}</span>
              </button>
              <button type="button" class="small" disabled={busy} onClick={() => setLeaving(contact)}>
                {t.remove}
                <span class="unseen">: {contact.name}</span>
              </button>
            </div>
            {edited === contact.id && (
              <ContactForm
                changes={contact}
                onAdded={() => {
                  setEdited(null)
                  void onChange()
                }}
              />
            )}
          </li>
        ))}
      </ol>
      <Problem text={problem} />
      {leaving !== null && (
        <Confirm
          title={t.contacts.removeSure(leaving.name)}
          yes={t.remove}
          onYes={() => {
            setLeaving(null)
            changes(() => sdk().contacts.remove(leaving.id))
          }}
          onNo={() => setLeaving(null)}
        >
          <p>{t.contacts.removeText}</p>
        </Confirm>
      )}
    </>
  )
}
