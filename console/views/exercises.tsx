import { AlarmList } from '../parts/alarm-list.tsx'
import { useApplications } from '../parts/applications.tsx'
import { ApplicationDrills } from '../parts/drills-of.tsx'
import { language, texts } from '../state/language.ts'
import { mayAct } from '../state/session.ts'
import { listWords } from '../texts/lists.ts'

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
      <AlarmList
        query="state=all&limit=50&drills=true"
        label={t.views.exercises}
        empty={listWords[language.value].noExercises}
      />
    </main>
  )
}
