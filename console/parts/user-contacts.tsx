import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import type { ContactCheck, UserDetail } from '../api/types.ts'
import { allTexts } from '../state/language.ts'
import { mayAct, mayAdminister } from '../state/session.ts'
import { administration } from './administration-on-demand.ts'
import { Panel, Problem } from './controls.tsx'
import { Table } from './listing.tsx'
import { Moment } from './moment.tsx'
import { onDemand } from './on-demand.tsx'
import { PhoneNumber } from './phone-number.tsx'
import { useTask } from './task.ts'

type Contact = UserDetail['contacts'][number]

const ContactsEditor = onDemand(async () => (await administration()).ContactsEditor, 'section')

/** The contacts of a user, with their answers to the request to confirm, and a button to ask again. */
export function UserContacts({ user, onAsked }: { readonly user: UserDetail; readonly onAsked: () => void }) {
  const t = allTexts.value
  const c = t.contactCheck
  const task = useTask()
  const [said, say] = useState<string | null>(null)
  const [editing, edit] = useState(false)
  if (editing) return <ContactsEditor user={user} onChanged={onAsked} onDone={() => edit(false)} />
  const ask = ({ id, name }: Contact): void => {
    say(null)
    void task
      .run(async () => {
        const { status } = await call<ContactCheck>('POST', `/users/${user.id}/contacts/${id}/verify`)
        say(status === 'verified' ? c.already(name) : c.asked(name))
      })
      .then(onAsked)
  }
  return (
    <Panel title={t.contacts}>
      <Table
        label={t.contacts}
        items={user.contacts}
        columns={[
          [t.users.name, ({ name }) => name],
          [
            t.users.phone,
            ({ phone }) => (
              <a href={`tel:${phone}`}>
                <PhoneNumber number={phone} />
              </a>
            ),
          ],
          [
            c.state,
            (contact) => (
              <>
                <Confirmed contact={contact} />{' '}
                {mayAct.value && contact.verifiedAt === undefined && (
                  <button type="button" class="small" disabled={task.busy} onClick={() => ask(contact)}>
                    {c.ask}
                  </button>
                )}
              </>
            ),
          ],
        ]}
      />
      {mayAdminister.value && (
        <button type="button" onClick={() => edit(true)}>
          {allTexts.value.users.edit}
        </button>
      )}
      <Problem text={task.problem ?? said} />
    </Panel>
  )
}

function Confirmed({ contact: { verifiedAt, declinedAt } }: { readonly contact: Contact }) {
  const c = allTexts.value.contactCheck
  if (verifiedAt !== undefined)
    return (
      <span class="good">
        ✓ {c.confirmed}, <Moment at={verifiedAt} />
      </span>
    )
  if (declinedAt !== undefined)
    return (
      <span class="warn">
        ⚠ {c.declined}, <Moment at={declinedAt} />
      </span>
    )
  return <span class="quiet">{c.open}</span>
}
