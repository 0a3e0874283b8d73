import { useState } from 'preact/hooks'
import { send } from '../api/client.ts'
import type { Application } from '../api/types.ts'
import { useApplications } from '../parts/applications.tsx'
import { Copy, Field, Form, Panel, Problem } from '../parts/controls.tsx'
import { useTask } from '../parts/task.ts'
import { arm, audible } from '../state/alarm.ts'
import { texts } from '../state/language.ts'

const Command = ({ text }: { readonly text: string }) => (
  <p class="command">
    <code>{text}</code> <Copy text={text} />
  </p>
)

/** From an empty service to the first simulated SOS on the board; each step also says which command does the same. */
export function Start() {
  const t = texts.value.start
  const known = useApplications()
  const [made, make] = useState<(Application & { readonly secret: string }) | null>(null)
  const [name, write] = useState('')
  const applications = made === null ? known : [...known, made]
  const task = useTask()
  const [incidentId, ring] = useState<string | null>(null)
  const app = made?.applicationId ?? applications[0]?.applicationId
  return (
    <main>
      <h1>{texts.value.views.start}</h1>
      <ol class="steps">
        <li>
          <Panel title={`1. ${t.sound}`}>
            <p>{t.soundMeans}</p>
            <button type="button" class={audible.value ? 'armed' : 'main'} onClick={() => void arm()}>
              {audible.value ? `✓ ${texts.value.sound.on}` : t.soundTest}
            </button>
          </Panel>
        </li>
        <li>
          <Panel title={`2. ${t.application}`}>
            <p>
              {applications.length > 0 ? `✓ ${applications.map((one) => one.name).join(', ')}` : t.applicationMeans}
            </p>
            <Form
              onSend={() =>
                void task.run(async () => {
                  make(await send('/applications', { name }))
                  write('')
                })
              }
            >
              <Field
                label={texts.value.settings.name}
                required
                value={name}
                onInput={(event) => write(event.currentTarget.value)}
              />
              <button type="submit" disabled={task.busy}>
                {texts.value.settings.create}
              </button>
            </Form>
            {made !== null && (
              <p class="secret" role="status">
                {texts.value.settings.secretOnce}
                <br />
                <code>{made.secret}</code> <Copy text={made.secret} />
              </p>
            )}
            <Command text={`tocsin app create --name "${name.trim() || 'My app'}"`} />
          </Panel>
        </li>
        <li>
          <Panel title={`3. ${t.simulate}`}>
            <p>{t.simulateMeans}</p>
            <button
              type="button"
              class="main"
              disabled={task.busy}
              onClick={() =>
                void task.run(async () => ring((await send<{ incidentId: string }>('/simulate')).incidentId))
              }
            >
              {t.simulateGo}
            </button>
            {incidentId !== null && (
              <p role="status">
                <a href={`#/incident/${incidentId}`}>{t.simulated}</a>
              </p>
            )}
            <Command
              text={`curl -X POST ${location.origin}/v1/operator/simulate -H 'Authorization: Bearer tocsin_…'`}
            />
          </Panel>
        </li>
        <li>
          <Panel title={`4. ${t.message}`}>
            <p>{t.messageMeans}</p>
            {app !== undefined && <a href={`#/application/${app}`}>{texts.value.settings.actuators}</a>}
            <Command text={`tocsin notify test ${app ?? 'APP'} --channel sms --to +43…`} />
          </Panel>
        </li>
      </ol>
      <Problem text={task.problem} />
    </main>
  )
}
