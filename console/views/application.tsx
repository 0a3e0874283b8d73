import { useMemo, useState } from 'preact/hooks'
import { call, send } from '../api/client.ts'
import type { Application } from '../api/types.ts'
import { timeZones } from '../logic/time-zones.ts'
import { Back } from '../parts/back.tsx'
import { ComboField } from '../parts/combo.tsx'
import { Confirm, Empty, Field, Form, languageNames, Panel, Problem, Select } from '../parts/controls.tsx'
import { ApplicationDrills } from '../parts/drills-of.tsx'
import { ApplicationReadiness } from '../parts/findings.tsx'
import { useRead } from '../parts/listing.tsx'
import { OneSave, useOneSave } from '../parts/one-save.tsx'
import { Secret } from '../parts/secret.tsx'
import { useShownOnce } from '../parts/shown-once.ts'
import { useTask } from '../parts/task.ts'
import { allTexts, locale } from '../state/language.ts'
import { mayAdminister } from '../state/session.ts'
import { Actuators } from './application-actuators.tsx'
import { InApp } from './application-app.tsx'
import { Rules } from './application-rules.tsx'
import { SmsSos } from './application-sms.tsx'
import { Texts } from './application-texts.tsx'
import { SilenceOfAll } from './tracker.tsx'

/** One application: its name, channels, rules of escalation and texts. */
export function ApplicationView({ id }: { readonly id: string }) {
  const { found, problem, again } = useRead<Application>(`/applications/${id}`)
  const t = allTexts.value
  if (found === null) return <main>{problem === null ? <Empty>{t.loading}</Empty> : <Problem text={problem} />}</main>
  return (
    <main>
      <Back to="#/settings">{t.views.settings}</Back>
      <h1>{found.name}</h1>
      {found.disabled && <p class="banner warn">{t.application.disabledMeans}</p>}
      <OneSave>
        <div class="columns broad flow">
          <General application={found} onSaved={again} />
          <Actuators application={found} onChanged={again} />
          <Rules application={found} onSaved={again} />
          <Texts application={found} />
          <InApp application={found} onSaved={again} />
          <SmsSos application={found} onSaved={again} />
          <SilenceOfAll applicationId={id} minutes={found.silentAfterMinutes} onSaved={again} />
          <ApplicationReadiness id={id} />
          <ApplicationDrills application={found} />
          {mayAdminister.value && <Access application={found} onChanged={again} />}
        </div>
      </OneSave>
    </main>
  )
}

const listOf = (text: string): readonly string[] => text.split(/[\s,]+/).filter(Boolean)

/** The fields as typed. */
const typed = ({
  name,
  language,
  timeZone,
  mapLink,
  allowedPrefixes,
  corsOrigins,
  fallbackContact,
  legacy,
  verifyContacts,
}: Application) => ({
  name,
  language,
  timeZone,
  mapLink: mapLink ?? '',
  prefixes: allowedPrefixes.join(', '),
  origins: corsOrigins.join(' '),
  deskName: fallbackContact?.name ?? '',
  deskPhone: fallbackContact?.phone ?? '',
  legacy,
  verifyContacts,
})
type Typed = ReturnType<typeof typed>

/** Only the changed fields: another administrator may be changing the rest. */
function changesOf(before: Typed, given: Typed): object {
  const is = (...names: readonly (keyof Typed)[]): boolean => names.some((name) => before[name] !== given[name])
  const { name, language, timeZone, legacy, verifyContacts } = given
  return {
    ...(is('name') && { name }),
    ...(is('language') && { language }),
    ...(is('timeZone') && { timeZone: timeZone.trim() || null }),
    ...(is('mapLink') && { mapLink: given.mapLink.trim() || null }),
    ...(is('prefixes') && { allowedPrefixes: listOf(given.prefixes) }),
    ...(is('origins') && { corsOrigins: listOf(given.origins) }),
    ...(is('deskName', 'deskPhone') && {
      fallbackContact: given.deskPhone.trim() === '' ? null : { name: given.deskName, phone: given.deskPhone },
    }),
    ...(is('legacy') && { legacy }),
    ...(is('verifyContacts') && { verifyContacts }),
  }
}

type Part = { readonly application: Application; readonly onSaved: () => void }

function General({ application, onSaved }: Part) {
  const t = allTexts.value
  const task = useTask()
  const before = typed(application)
  // Only touched fields: switching the app on changes prefixes and whether contacts are asked.
  const [touched, touch] = useState<Partial<Typed>>({})
  const given = { ...before, ...touched }
  const set = (part: Partial<Typed>): void => touch({ ...touched, ...part })
  const [saved, tell] = useState(false)
  const field = (name: Exclude<keyof Typed, 'language' | 'timeZone' | 'legacy' | 'verifyContacts'>) => ({
    value: given[name],
    onInput: (event: { currentTarget: HTMLInputElement }) => set({ [name]: event.currentTarget.value }),
  })
  const changes = changesOf(before, given)
  const zones = useMemo(() => timeZones(locale.value), [locale.value])
  const save = (): Promise<void> =>
    task
      .run(() => call('PATCH', `/applications/${application.applicationId}`, changes))
      .then((done) => {
        tell(done)
        if (!done) return
        touch({})
        onSaved()
      })
  useOneSave(t.settings.general, Object.keys(changes).length > 0, save)
  return (
    <Panel title={t.settings.general}>
      <Form onSend={() => void save()}>
        <fieldset disabled={!mayAdminister.value}>
          <Field label={t.settings.name} required {...field('name')} />
          <Select
            label={t.language}
            value={given.language}
            options={languageNames(given.language)}
            onPick={(language) => set({ language })}
          />
          <ComboField
            label={t.application.timeZone}
            hint={t.application.timeZoneHint}
            value={given.timeZone}
            choices={zones}
            onPick={(timeZone) => set({ timeZone })}
          />
          <Field
            label={t.application.mapLink}
            hint={t.application.mapLinkHint}
            error={task.refused.includes('mapLink') ? t.application.mapLinkRefused : undefined}
            {...field('mapLink')}
          />
          <Field label={t.settings.prefixes} hint={t.settings.prefixesHint} {...field('prefixes')} />
          <Field label={t.settings.deskName} hint={t.settings.deskHint} {...field('deskName')} />
          <Field label={t.settings.deskPhone} type="tel" {...field('deskPhone')} />
          <Field label={t.application.origins} hint={t.application.originsHint} {...field('origins')} />
          <label class="check">
            <input
              type="checkbox"
              checked={given.legacy}
              onChange={(event) => set({ legacy: event.currentTarget.checked })}
            />{' '}
            {t.application.legacy}
          </label>
          <label class="check">
            <input
              type="checkbox"
              checked={given.verifyContacts}
              onChange={(event) => set({ verifyContacts: event.currentTarget.checked })}
            />{' '}
            {t.application.verifyContacts}
          </label>
        </fieldset>
        <Problem text={task.problem} />
        {saved && Object.keys(changes).length === 0 && (
          <p class="good" role="status">
            ✓ {t.application.saved}
          </p>
        )}
      </Form>
    </Panel>
  )
}

/** Access: secrets, at most two of them valid at a time, and whether the application is enabled. */
function Access({ application, onChanged }: { readonly application: Application; readonly onChanged: () => void }) {
  const t = allTexts.value.application
  const task = useTask()
  const { shown, show } = useShownOnce<string>()
  const [retired, tell] = useState(false)
  const [asking, ask] = useState<'retire' | 'disable' | null>(null)
  const path = `/applications/${application.applicationId}`
  const add = (): void =>
    void task.run(async () => {
      tell(false)
      show((await send<{ secret: string }>(`${path}/secrets`)).secret)
    })
  const retire = (): void =>
    void task
      .run(() => call('DELETE', `${path}/secrets/older`))
      .then((done) => {
        ask(null)
        tell(done)
      })
  const able = (disabled: boolean): void =>
    void task
      .run(() => call('PATCH', path, { disabled }))
      .then(() => {
        ask(null)
        onChanged()
      })
  return (
    <Panel title={t.access}>
      <p>{t.secretsMean}</p>
      <div class="actions">
        <button type="button" disabled={task.busy} onClick={add}>
          {allTexts.value.settings.newSecret}
        </button>
        <button type="button" disabled={task.busy} onClick={() => ask('retire')}>
          {t.retire}
        </button>
        {application.disabled ? (
          <button type="button" disabled={task.busy} onClick={() => able(false)}>
            {allTexts.value.system.enable}
          </button>
        ) : (
          <button type="button" disabled={task.busy} onClick={() => ask('disable')}>
            {allTexts.value.system.disable}
          </button>
        )}
      </div>
      <Problem text={task.problem} />
      {shown !== null && <Secret secret={shown.secret} />}
      {retired && (
        <p class="good" role="status">
          ✓ {t.retired}
        </p>
      )}
      {asking === 'retire' && (
        <Confirm title={t.retireAsk} yes={t.retire} busy={task.busy} onYes={retire} onNo={() => ask(null)}>
          <p>{t.retireMeans}</p>
        </Confirm>
      )}
      {asking === 'disable' && (
        <Confirm
          title={t.disableAsk(application.name)}
          yes={allTexts.value.system.disable}
          busy={task.busy}
          onYes={() => able(true)}
          onNo={() => ask(null)}
        >
          <p>{t.disabledMeans}</p>
        </Confirm>
      )}
    </Panel>
  )
}
