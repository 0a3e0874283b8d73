import { useMemo, useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import type { Application } from '../api/types.ts'
import { countries } from '../logic/countries.ts'
import { ComboField } from '../parts/combo.tsx'
import { Confirm, Field, Panel } from '../parts/controls.tsx'
import { SettingsForm } from '../parts/settings-form.tsx'
import { useTask } from '../parts/task.ts'
import { allTexts, locale } from '../state/language.ts'
import { AppInvitations } from './app-invitations.tsx'

type Part = { readonly application: Application; readonly onSaved: () => void }
type Typed = Pick<Application['webApp'], 'on' | 'colour' | 'emergencyNumber'> & { readonly country: string }

const shownOf = ({ on, colour, country, emergencyNumber }: Application['webApp']): Typed => ({
  on,
  colour,
  country: country ?? '',
  emergencyNumber,
})

/** Only the changed fields. An empty number is that of the country; a country can be changed, not removed. */
function changesOf(before: Typed, { on, colour, country, emergencyNumber }: Typed) {
  return {
    ...(on !== before.on && { on }),
    ...(colour !== before.colour && { colour }),
    ...(country.trim() !== before.country && country.trim() !== '' && { country: country.trim() }),
    ...(emergencyNumber.trim() !== before.emergencyNumber && { emergencyNumber: emergencyNumber.trim() || null }),
  }
}

/** The app in the box of an application, and the invitations to it. */
export const InApp = ({ application, onSaved }: Part) => (
  <>
    <Settings application={application} onSaved={onSaved} />
    {application.webApp.on && <AppInvitations application={application} />}
  </>
)

function Settings({ application, onSaved }: Part) {
  const t = allTexts.value.inApp
  const task = useTask()
  const before = shownOf(application.webApp)
  const [touched, touch] = useState<Partial<Typed>>({})
  const [saved, tell] = useState(false)
  const [asking, ask] = useState(false)
  const given = { ...before, ...touched }
  const changes = changesOf(before, given)
  const isChanged = Object.keys(changes).length > 0
  const write = (part: Partial<Typed>): void => {
    tell(false)
    touch({ ...touched, ...part })
  }
  const save = (): Promise<void> =>
    task
      .run(() => call('PATCH', `/applications/${application.applicationId}`, { webApp: changes }))
      .then((done) => {
        ask(false)
        tell(done)
        if (!done) return
        // The service says which number the country has.
        touch({})
        onSaved()
      })
  const send = async (): Promise<void> => {
    if (before.on && !given.on) ask(true)
    else await save()
  }
  const refusal = (field: keyof Typed, text: string): string | undefined =>
    task.refused.some((name) => name.endsWith(field)) ? text : undefined
  const all = useMemo(() => countries(locale.value), [locale.value])
  return (
    <Panel title={t.title}>
      <p class="quiet">{t.lead}</p>
      <SettingsForm title={t.title} task={task} isChanged={isChanged} saved={saved} onSend={send}>
        <label class="check">
          <input type="checkbox" checked={given.on} onChange={(event) => write({ on: event.currentTarget.checked })} />{' '}
          {t.on}
        </label>
        {given.on && !before.on && <p class="quiet">{t.firstTime}</p>}
        {given.on && (
          <>
            <ComboField
              label={t.country}
              hint={t.countryHint}
              error={refusal('country', t.countryRefused)}
              value={given.country}
              choices={all}
              onPick={(country) => write({ country })}
            />
            <Field
              label={t.emergencyNumber}
              hint={t.emergencyHint}
              error={refusal('emergencyNumber', t.emergencyRefused)}
              inputMode="tel"
              maxLength={16}
              value={given.emergencyNumber}
              onInput={(event) => write({ emergencyNumber: event.currentTarget.value })}
            />
            <Field
              label={t.colour}
              type="color"
              value={given.colour}
              onInput={(event) => write({ colour: event.currentTarget.value })}
            />
          </>
        )}
      </SettingsForm>
      {asking && (
        <Confirm title={t.offAsk} yes={t.switchOff} busy={task.busy} onYes={() => void save()} onNo={() => ask(false)}>
          <p>{t.offMeans}</p>
        </Confirm>
      )}
    </Panel>
  )
}
