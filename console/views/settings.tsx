import { ChevronRight } from 'lucide'
import { useState } from 'preact/hooks'
import { send } from '../api/client.ts'
import type { Application } from '../api/types.ts'
import { hashOf } from '../logic/route.ts'
import { useApplications } from '../parts/applications.tsx'
import { Empty, Field, Form, Panel, Problem } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
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
      <h1>{allTexts.value.views.settings}</h1>
      {maySetUp.value && (
        <a class="card to-setup" href={hashOf('site')}>
          <strong>{allTexts.value.views.site}</strong>
          <small>{allTexts.value.site.where}</small>
          <Icon of={ChevronRight} />
        </a>
      )}
      <h2 class="group">{t.applications}</h2>
      {applications.length === 0 && <Empty>{t.noApplication}</Empty>}
      <ul class="cards">
        {applications.map((application) => (
          <li key={application.applicationId}>
            <a class="card" href={`#/application/${application.applicationId}`}>
              <strong>
                {application.name} {application.disabled && <span class="tag">{allTexts.value.users.disabled}</span>}
              </strong>
              <small class={Object.keys(application.actuators).length === 0 ? 'bad-words' : undefined}>
                {Object.keys(application.actuators)
                  .map((type) => t.actuatorNames[type] ?? type)
                  .join(', ') || t.noActuator}
              </small>
              <Icon of={ChevronRight} />
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
