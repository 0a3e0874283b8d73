import { useState } from 'preact/hooks'
import { send } from '../api/client.ts'
import type { Application } from '../api/types.ts'
import { hashOf } from '../logic/route.ts'
import { useApplications } from '../parts/applications.tsx'
import { Empty, Field, Form, Panel, Problem } from '../parts/controls.tsx'
import { Secret } from '../parts/secret.tsx'
import { useShownOnce } from '../parts/shown-once.ts'
import { useTask } from '../parts/task.ts'
import { allTexts } from '../state/language.ts'
import { mayAdminister, maySetUp } from '../state/session.ts'

/** The applications; each leads to its own page. */
export function Settings() {
  const t = allTexts.value.settings
  const applications = useApplications()
  const [name, write] = useState('')
  const { shown, show } = useShownOnce<string>()
  const task = useTask()
  const create = (): void =>
    void task.run(async () => {
      const made = await send<Application & { secret: string }>('/applications', { name })
      show(made.secret)
      write('')
    })
  return (
    <main>
      {maySetUp.value && (
        <a class="card to-setup" href={hashOf('site')}>
          <strong>{allTexts.value.views.site}</strong>
          <small>{allTexts.value.site.where}</small>
        </a>
      )}
      <h1>{t.applications}</h1>
      {applications.length === 0 && <Empty>{t.noApplication}</Empty>}
      <ul class="cards">
        {applications.map((application) => (
          <li key={application.applicationId}>
            <a class="card" href={`#/application/${application.applicationId}`}>
              <strong>{application.name}</strong>
              {application.disabled && <span class="tag">{allTexts.value.users.disabled}</span>}
              <small>
                {Object.keys(application.actuators)
                  .map((type) => t.actuatorNames[type] ?? type)
                  .join(', ') || t.noActuator}
              </small>
            </a>
          </li>
        ))}
      </ul>
      {mayAdminister.value && (
        <Panel title={t.newApplication}>
          <Form onSend={create}>
            <Field label={t.name} required value={name} onInput={(event) => write(event.currentTarget.value)} />
            <button type="submit" disabled={task.busy}>
              {t.create}
            </button>
            <Problem text={task.problem} />
          </Form>
          {shown !== null && <Secret secret={shown.secret} />}
        </Panel>
      )}
    </main>
  )
}
