import { useEffect, useState } from 'preact/hooks'
import type { Application, DrillReport, Item, Items, Listed, Person } from '../api/types.ts'
import { changed } from '../state/board.ts'
import { texts } from '../state/language.ts'
import { useApplications } from './applications.tsx'
import { Panel, Problem } from './controls.tsx'
import { ExerciseStart } from './exercise-start.tsx'
import { Table, useRead } from './listing.tsx'
import { Moment } from './moment.tsx'
import { Badge } from './urgency.tsx'

/** More have never been asked of one person. */
const LAST = 5

/** The last exercises of a person, each leading to how it went. */
export function PersonExercises({ person }: { readonly person: Person }) {
  const t = texts.value
  const { id, applicationId, externalUserId, contacts } = person
  const name = person.name ?? externalUserId
  const application = useApplications().find((one) => one.applicationId === applicationId)
  // Who says that they do not know the person is left alone; the fallback contact is told as in an alarm.
  const asked = contacts.filter(({ declinedAt }) => declinedAt === undefined)
  const told = [...asked, ...(application?.fallbackContact ? [application.fallbackContact] : [])].map((one) => one.name)
  const query = new URLSearchParams({
    drills: 'true',
    state: 'all',
    app: applicationId,
    text: externalUserId,
    limit: '20',
  })
  const { found, problem, again } = useRead<Listed<Item>>(`/incidents?${query}`)
  // It was asked for by a text, which others may contain.
  const items = found?.items.filter(({ userId }) => userId === id).slice(0, LAST) ?? []
  useEffect(() => changed.subscribe((item) => item?.drill && item.userId === id && again()), [id])
  return (
    <Panel title={t.drills.title}>
      <Problem text={problem} />
      <Table
        label={t.drills.title}
        items={items}
        columns={[
          [
            t.history.opened,
            ({ incidentId, openedAt }) => (
              <a href={`#/incident/${incidentId}`}>
                <Moment at={openedAt} />
              </a>
            ),
          ],
          [t.history.state, (item) => <Badge item={item} />],
        ]}
      />
      <ExerciseStart whom={{ applicationId, name, user: { externalUserId, contacts: told } }} onChanged={again} />
    </Panel>
  )
}

/** Those of an application, with what came of them. Read when somebody asks: each is put together from its attempts. */
export function ApplicationExercises({ application }: { readonly application: Application }) {
  const t = texts.value.drills
  const [turn, next] = useState(0)
  const [isOpen, look] = useState(false)
  const { applicationId, name } = application
  const show = (): void => {
    look(true)
    next((n) => n + 1)
  }
  return (
    <Panel title={t.title}>
      <details open={isOpen} onToggle={(event) => look(event.currentTarget.open)}>
        <summary>{t.last90}</summary>
        {isOpen && <Reports key={turn} applicationId={applicationId} />}
      </details>
      <ExerciseStart whom={{ applicationId, name, user: null }} onChanged={show} />
    </Panel>
  )
}

function Reports({ applicationId }: { readonly applicationId: string }) {
  const t = texts.value
  const { found, problem } = useRead<Items<DrillReport>>(`/drills?app=${applicationId}`)
  if (found === null) return <Problem text={problem} />
  return (
    <Table
      label={t.drills.title}
      items={found.items}
      columns={[
        [
          t.history.opened,
          ({ incidentId, startedAt }) => (
            <a href={`#/incident/${incidentId}`}>
              <Moment at={startedAt} />
            </a>
          ),
        ],
        [t.history.person, ({ externalUserId }) => externalUserId],
        [t.drills.went, (report) => (report.toContacts ? t.drills.toPhones : t.drills.toTheOutbox)],
        [t.drills.firstAnswer, ({ firstAnswerSeconds }) => t.drills.after(firstAnswerSeconds)],
        [t.drills.failed, ({ failed }) => (failed === 0 ? t.drills.nothing : <strong>✕ {failed}</strong>)],
      ]}
    />
  )
}
