import { useState } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type { Person, User } from '../api/types.ts'
import { personName } from '../logic/person-name.ts'
import { deviceHash } from '../logic/route.ts'
import { Confirm, Empty, Field, Form, Panel, Problem } from '../parts/controls.tsx'
import { UserDrills } from '../parts/drills-of.tsx'
import { PersonReadiness } from '../parts/findings.tsx'
import { Listing, Table, useRead } from '../parts/listing.tsx'
import { Moment } from '../parts/moment.tsx'
import { useTask } from '../parts/task.ts'
import { UserContacts } from '../parts/user-contacts.tsx'
import { UserTimers } from '../parts/user-timers.tsx'
import { texts } from '../state/language.ts'
import { mayAdminister } from '../state/session.ts'

const queryOf = (text: string): string => (text.trim() === '' ? '' : `&text=${encodeURIComponent(text.trim())}`)

/** The people of the applications. */
export function Users() {
  const t = texts.value
  const [text, write] = useState('')
  const [asked, ask] = useState('')
  return (
    <main>
      <h1>{t.views.people}</h1>
      <Form class="filters" onSend={() => ask(text)}>
        <Field label={t.people.text} type="search" value={text} onInput={(event) => write(event.currentTarget.value)} />
        <button type="submit" class="main">
          {t.search}
        </button>
      </Form>
      <Listing<User>
        path={`/users?limit=50${queryOf(asked)}`}
        label={t.views.people}
        columns={[
          [t.people.name, (user) => <a href={`#/person/${user.id}`}>{personName(user)}</a>],
          [t.people.externalId, ({ externalUserId }) => externalUserId],
          [t.people.phone, ({ phone }) => phone !== null && <a href={`tel:${phone}`}>{phone}</a>],
          [t.people.state, ({ disabled }) => (disabled ? t.people.disabled : t.people.enabled)],
        ]}
      />
    </main>
  )
}

/** One of them: whether an alarm would work, and who would be told. */
export function UserView({ id }: { readonly id: string }) {
  const t = texts.value
  const { found, problem, again } = useRead<Person>(`/users/${id}`)
  const task = useTask()
  const [erasing, erase] = useState(false)
  if (found === null) return <main>{problem === null ? <Empty>{t.loading}</Empty> : <Problem text={problem} />}</main>
  const facts = [
    [t.people.externalId, found.externalUserId],
    [t.people.phone, found.phone],
    [t.people.email, found.email],
    [t.people.address, found.address],
  ] as const
  return (
    <main>
      <a href="#/people" class="back">
        ← {t.views.people}
      </a>
      <h1>{personName(found)}</h1>
      {found.openIncident !== null && (
        <p class="banner bad">
          <a href={`#/incident/${found.openIncident.incidentId}`}>{t.people.openAlarm}</a>
        </p>
      )}
      {found.disabled && <p class="banner warn">{t.people.disabledMeans}</p>}
      <div class="columns">
        <Panel title={t.people.readiness}>
          {found.lacks.length > 0 && (
            <ul class="lacks">
              {found.lacks.map((what) => (
                <li key={what}>✕ {t.people.lacks[what] ?? what}</li>
              ))}
            </ul>
          )}
          <PersonReadiness id={id} />
          <dl class="plain">
            {facts.map(
              ([name, value]) =>
                value !== null && (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>{value}</dd>
                  </div>
                ),
            )}
          </dl>
        </Panel>
        <UserDrills person={found} />
        <UserTimers id={id} name={personName(found)} />
        <UserContacts person={found} onAsked={again} />
        <Panel title={t.views.devices}>
          <Table
            label={t.views.devices}
            items={found.devices}
            columns={[
              [
                t.devices.hardwareId,
                ({ hardwareId }) => <a href={deviceHash(found.applicationId, hardwareId)}>{hardwareId}</a>,
              ],
              [t.devices.pairedAt, ({ pairedAt }) => <Moment at={pairedAt} />],
            ]}
          />
        </Panel>
      </div>
      {mayAdminister.value && (
        <div class="actions">
          <button
            type="button"
            disabled={task.busy}
            onClick={() =>
              void task.run(() => send(`/users/${id}/${found.disabled ? 'enable' : 'disable'}`, {})).then(again)
            }
          >
            {found.disabled ? t.people.enable : t.people.disable}
          </button>
          <button type="button" disabled={task.busy} onClick={() => erase(true)}>
            {t.people.erase}
          </button>
        </div>
      )}
      <Problem text={task.problem} />
      {erasing && (
        <Confirm
          title={t.people.eraseAsk(personName(found))}
          yes={t.people.erase}
          busy={task.busy}
          onNo={() => erase(false)}
          onYes={() =>
            void task
              .run(() => call('DELETE', `/users/${id}`))
              .then((done) => (done ? location.replace('#/people') : erase(false)))
          }
        >
          <p>{t.people.eraseMeans}</p>
        </Confirm>
      )}
    </main>
  )
}
