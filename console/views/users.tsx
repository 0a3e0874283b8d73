import { useState } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type { User, UserDetail } from '../api/types.ts'
import { personName } from '../logic/person-name.ts'
import { hashOf, trackerHash, userHash } from '../logic/route.ts'
import { administration } from '../parts/administration-on-demand.ts'
import { Back } from '../parts/back.tsx'
import { Confirm, Empty, Field, Form, languageName, Panel, Problem } from '../parts/controls.tsx'
import { UserDrills } from '../parts/drills-of.tsx'
import { PersonReadiness } from '../parts/findings.tsx'
import { Listing, Table, useRead } from '../parts/listing.tsx'
import { Moment, moment } from '../parts/moment.tsx'
import { onDemand } from '../parts/on-demand.tsx'
import { PhoneNumber } from '../parts/phone-number.tsx'
import { useTask } from '../parts/task.ts'
import { UserContacts } from '../parts/user-contacts.tsx'
import { UserTimers } from '../parts/user-timers.tsx'
import { allTexts, language } from '../state/language.ts'
import { mayAdminister } from '../state/session.ts'
import { listWords } from '../texts/lists.ts'

const ImportPeople = onDemand(async () => (await administration()).ImportPeople, 'section')
const NewPerson = onDemand(async () => (await administration()).NewPerson, 'section')
const PersonForm = onDemand(async () => (await administration()).PersonForm, 'section')
const UserApp = onDemand(async () => (await administration()).UserApp, 'section')

const queryOf = (text: string): string => (text.trim() === '' ? '' : `&text=${encodeURIComponent(text.trim())}`)

/** The users of the applications. */
export function Users() {
  const t = allTexts.value
  const [text, write] = useState('')
  const [asked, ask] = useState('')
  const [turn, next] = useState(0)
  const [adding, add] = useState<'person' | 'file' | null>(null)
  const toggle = (what: 'person' | 'file') => () => add(adding === what ? null : what)
  return (
    <main>
      <h1>{t.views.users}</h1>
      <Form class="filters" onSend={() => ask(text)}>
        <Field label={t.users.text} type="search" value={text} onInput={(event) => write(event.currentTarget.value)} />
        <button type="submit" class="main">
          {t.search}
        </button>
      </Form>
      {mayAdminister.value && (
        <div class="actions">
          <button type="button" aria-expanded={adding === 'person'} onClick={toggle('person')}>
            {t.users.add}
          </button>
          <button type="button" aria-expanded={adding === 'file'} onClick={toggle('file')}>
            {t.users.import}
          </button>
        </div>
      )}
      {adding === 'person' && <NewPerson onAdded={() => next((n) => n + 1)} />}
      {adding === 'file' && <ImportPeople onImported={() => next((n) => n + 1)} />}
      <Listing<User>
        path={`/users?limit=50${queryOf(asked)}`}
        turn={turn}
        label={t.views.users}
        empty={asked.trim() === '' ? listWords[language.value].noPeople : listWords[language.value].noMatch}
        columns={[
          [t.users.name, (user) => <a href={userHash(user.id)}>{personName(user)}</a>],
          [t.users.externalId, ({ externalUserId }) => externalUserId],
          [
            t.users.phone,
            ({ phone }) =>
              phone !== null && (
                <a href={`tel:${phone}`}>
                  <PhoneNumber number={phone} />
                </a>
              ),
          ],
          [t.users.groups, ({ groups }) => groups.join(', ')],
          [
            t.users.state,
            ({ disabled, enrolledBy }) => (
              <>
                {disabled ? t.users.disabled : t.users.enabled}
                {enrolledBy === 'poster' && (
                  <>
                    {' '}
                    <span class="tag">{t.inApp.joined.poster}</span>
                  </>
                )}
              </>
            ),
          ],
        ]}
      />
    </main>
  )
}

/** One user: whether an alarm would work, and who would be alerted. */
export function UserView({ id }: { readonly id: string }) {
  const t = allTexts.value
  const { found, problem, again } = useRead<UserDetail>(`/users/${id}`)
  const task = useTask()
  const [asking, ask] = useState<'disable' | 'erase' | null>(null)
  const [editing, edit] = useState(false)
  const [doubt, tell] = useState<string | null>(null)
  if (found === null) return <main>{problem === null ? <Empty>{t.loading}</Empty> : <Problem text={problem} />}</main>
  const enabled = (may: boolean): void =>
    void task
      .run(() => send(`/users/${id}/${may ? 'enable' : 'disable'}`, {}))
      .then(() => {
        ask(null)
        again()
      })
  const facts = [
    [t.users.externalId, found.externalUserId],
    [t.users.phone, found.phone && <PhoneNumber number={found.phone} />],
    [t.users.email, found.email],
    [t.users.address, found.address],
    [t.language, found.language && languageName(found.language, language.value)],
    [t.users.groups, found.groups.join(', ') || null],
    [t.users.notes, found.notes],
    [t.inApp.cameBy, found.enrolledBy == null ? null : (t.inApp.joined[found.enrolledBy] ?? found.enrolledBy)],
  ] as const
  return (
    <main>
      <Back to={hashOf('users')}>{t.views.users}</Back>
      <h1>{personName(found)}</h1>
      {found.openIncident !== null && (
        <p class="banner bad">
          <a href={`#/incident/${found.openIncident.incidentId}`}>{t.users.openAlarm}</a>
        </p>
      )}
      {found.disabled && <p class="banner warn">{t.users.disabledMeans}</p>}
      {found.erasesAt != null && <p class="banner warn">{t.inApp.erases(moment(found.erasesAt))}</p>}
      <div class="columns broad flow">
        <Panel title={t.users.readiness}>
          {found.lacks.length > 0 && (
            <ul class="lacks">
              {found.lacks.map((what) => (
                <li key={what}>✕ {t.lacks[what] ?? what}</li>
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
                    <dd class="lines">
                      <bdi>{value}</bdi>
                    </dd>
                  </div>
                ),
            )}
          </dl>
          {mayAdminister.value && (
            <button type="button" aria-expanded={editing} onClick={() => edit(!editing)}>
              {t.users.edit}
            </button>
          )}
          <Problem text={doubt} />
        </Panel>
        {editing && (
          <PersonForm
            user={found}
            onDone={(said) => {
              tell(said)
              edit(false)
              again()
            }}
          />
        )}
        <UserDrills user={found} />
        <UserTimers id={id} name={personName(found)} />
        <UserContacts user={found} onAsked={again} />
        {found.hasApp && <UserApp user={found} />}
        <Panel title={t.views.trackers}>
          <Table
            label={t.views.trackers}
            items={found.devices}
            columns={[
              [
                t.trackers.hardwareId,
                ({ hardwareId }) => <a href={trackerHash(found.applicationId, hardwareId)}>{hardwareId}</a>,
              ],
              [t.trackers.pairedAt, ({ pairedAt }) => <Moment at={pairedAt} />],
            ]}
          />
        </Panel>
      </div>
      {mayAdminister.value && (
        <div class="actions">
          <button type="button" disabled={task.busy} onClick={() => (found.disabled ? enabled(true) : ask('disable'))}>
            {found.disabled ? t.users.enable : t.users.disable}
          </button>
          <button type="button" class="danger" disabled={task.busy} onClick={() => ask('erase')}>
            {t.users.erase}
          </button>
        </div>
      )}
      <Problem text={task.problem} />
      {asking === 'disable' && (
        <Confirm
          title={t.users.disableAsk(personName(found))}
          yes={t.users.disable}
          busy={task.busy}
          onNo={() => ask(null)}
          onYes={() => enabled(false)}
        >
          <p>{t.users.disableMeans}</p>
        </Confirm>
      )}
      {asking === 'erase' && (
        <Confirm
          title={t.users.eraseAsk(personName(found))}
          yes={t.users.erase}
          busy={task.busy}
          onNo={() => ask(null)}
          onYes={() =>
            void task
              .run(() => call('DELETE', `/users/${id}`))
              .then((done) => (done ? location.replace(hashOf('users')) : ask(null)))
          }
        >
          <p>{t.users.eraseMeans}</p>
        </Confirm>
      )}
    </main>
  )
}
