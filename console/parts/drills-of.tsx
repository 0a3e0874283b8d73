import { useEffect, useState } from 'preact/hooks'
import type { Application, DrillReport, Items, UserDetail } from '../api/types.ts'
import { personName } from '../logic/person-name.ts'
import { changed } from '../state/board.ts'
import { texts } from '../state/language.ts'
import { useApplications } from './applications.tsx'
import { Panel, Problem } from './controls.tsx'
import { DrillStart } from './drill-start.tsx'
import { type Column, Table, useRead } from './listing.tsx'
import { Moment } from './moment.tsx'

/** The number of exercises shown for one person. */
const LAST = 5

/** The last exercises of a user, with their results. */
export function UserDrills({ user }: { readonly user: UserDetail }) {
  const t = texts.value
  const { id, applicationId, externalUserId, contacts } = user
  const name = personName(user)
  const application = useApplications().find((one) => one.applicationId === applicationId)
  // Contacts who do not know the person are left out; the fallback contact is notified as in an alarm.
  const asked = contacts.filter(({ declinedAt }) => declinedAt === undefined)
  const told = [...asked, ...(application?.fallbackContact ? [application.fallbackContact] : [])].map((one) => one.name)
  // Of any age: an old exercise is the best reminder that it is time for another.
  const of = { app: applicationId, user: externalUserId, since: '1970-01-01T00:00:00Z', limit: `${LAST}` }
  const { found, problem, again } = useRead<Items<DrillReport>>(`/drills?${new URLSearchParams(of)}`)
  useEffect(() => changed.subscribe((item) => item?.drill && item.userId === id && again()), [id])
  return (
    <Panel title={t.drills.title}>
      <Problem text={problem} />
      {found !== null && <Table label={t.drills.title} items={found.items} columns={howItWent()} />}
      <DrillStart whom={{ applicationId, name, user: { externalUserId, contacts: told } }} onChanged={again} />
    </Panel>
  )
}

/** The exercises of an application, with their results. Read on request: each is computed from its attempts. */
export function ApplicationDrills({
  application,
  title,
}: {
  readonly application: Application
  readonly title?: string
}) {
  const t = texts.value.drills
  const [turn, next] = useState(0)
  const [isOpen, look] = useState(false)
  const { applicationId, name } = application
  const show = (): void => {
    look(true)
    next((n) => n + 1)
  }
  return (
    <Panel title={title ?? t.title}>
      <details open={isOpen} onToggle={(event) => look(event.currentTarget.open)}>
        <summary>{t.last90}</summary>
        {isOpen && <Reports key={turn} applicationId={applicationId} />}
      </details>
      <DrillStart whom={{ applicationId, name, user: null }} onChanged={show} />
    </Panel>
  )
}

function Reports({ applicationId }: { readonly applicationId: string }) {
  const t = texts.value
  const { found, problem } = useRead<Items<DrillReport>>(`/drills?app=${applicationId}`)
  if (found === null) return <Problem text={problem} />
  const [began, ...rest] = howItWent()
  const whose: Column<DrillReport> = [t.history.person, ({ externalUserId }) => externalUserId]
  return <Table label={t.drills.title} items={found.items} columns={[began!, whose, ...rest]} />
}

/** The start of the exercise, as a link to it, and its result. */
const howItWent = (): readonly Column<DrillReport>[] => {
  const t = texts.value
  return [
    [
      t.history.opened,
      ({ incidentId, startedAt }) => (
        <a href={`#/incident/${incidentId}`}>
          <Moment at={startedAt} />
        </a>
      ),
    ],
    [t.drills.went, ({ toContacts }) => (toContacts ? t.drills.toPhones : t.drills.toTheOutbox)],
    [t.drills.firstAnswer, ({ firstAnswerSeconds }) => t.drills.after(firstAnswerSeconds)],
    [t.drills.failed, ({ failed }) => (failed === 0 ? t.drills.nothing : <strong>✕ {failed}</strong>)],
  ]
}
