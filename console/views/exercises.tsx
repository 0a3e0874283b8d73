import type { Item } from '../api/types.ts'
import { useApplications } from '../parts/applications.tsx'
import { ApplicationDrills } from '../parts/drills-of.tsx'
import { Listing } from '../parts/listing.tsx'
import { Moment } from '../parts/moment.tsx'
import { Badge, lookOf, personOf, Tags } from '../parts/urgency.tsx'
import { texts } from '../state/language.ts'
import { mayAct } from '../state/session.ts'

/** All exercises, newest first, and where the next one starts. */
export function Exercises() {
  const t = texts.value
  const applications = useApplications()
  return (
    <main>
      <h1>{t.views.exercises}</h1>
      {mayAct.value && applications.length > 0 && (
        <div class="columns">
          {applications.map((application) => (
            <ApplicationDrills key={application.applicationId} application={application} title={application.name} />
          ))}
        </div>
      )}
      <Listing<Item>
        path="/incidents?state=all&limit=50&drills=true"
        label={t.views.exercises}
        columns={[
          [t.history.pressed, ({ pressedAt }) => <Moment at={pressedAt} />],
          [t.history.person, (item) => <a href={`#/incident/${item.incidentId}`}>{personOf(item)}</a>],
          [t.history.application, ({ applicationName }) => applicationName],
          [
            t.history.state,
            (item) => (
              <span class={lookOf(item)}>
                <Badge item={item} /> <Tags item={item} />
              </span>
            ),
          ],
          [t.history.closed, ({ closedAt }) => closedAt !== null && <Moment at={closedAt} />],
        ]}
      />
    </main>
  )
}
