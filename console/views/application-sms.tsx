import { useState } from 'preact/hooks'
import { call } from '../api/client.ts'
import type { Application } from '../api/types.ts'
import { numberOf } from '../logic/typed-number.ts'
import { Copy, Field, Panel } from '../parts/controls.tsx'
import { SettingsForm } from '../parts/settings-form.tsx'
import { useTask } from '../parts/task.ts'
import { allTexts } from '../state/language.ts'
import { me } from '../state/session.ts'

type Typed = { readonly on: boolean; readonly number: string }

/** SOS by SMS: whether a text raises an alarm, and the number that people text. */
export function SmsSos({ application, onSaved }: { readonly application: Application; readonly onSaved: () => void }) {
  const t = allTexts.value.smsSos
  const task = useTask()
  const before: Typed = { on: application.smsSos, number: application.smsNumber ?? '' }
  const [touched, touch] = useState<Partial<Typed>>({})
  const [saved, tell] = useState(false)
  const given = { ...before, ...touched }
  const number = given.number.trim() === '' ? null : numberOf(given.number)
  const changes = {
    ...(given.on !== before.on && { smsSos: given.on }),
    ...(number !== application.smsNumber && { smsNumber: number }),
  }
  const isWrong = number === null && given.number.trim() !== ''
  const isChanged = isWrong || Object.keys(changes).length > 0
  const [refused, refuse] = useState(false)
  const write = (part: Partial<Typed>): void => {
    tell(false)
    refuse(false)
    touch({ ...touched, ...part })
  }
  const save = async (): Promise<void> => {
    refuse(isWrong)
    if (isWrong) return
    await task
      .run(() => call('PATCH', `/applications/${application.applicationId}`, changes))
      .then((done) => {
        tell(done)
        if (!done) return
        touch({})
        onSaved()
      })
  }
  const address = `${me.value?.site.publicUrl?.replace(/\/$/, '') ?? location.origin}/twilio/sms`
  return (
    <Panel title={t.title}>
      <p class="quiet">{t.lead}</p>
      <SettingsForm title={t.title} task={task} isChanged={isChanged} saved={saved} onSend={save}>
        <label class="check">
          <input type="checkbox" checked={given.on} onChange={(event) => write({ on: event.currentTarget.checked })} />{' '}
          {t.on}
        </label>
        {given.on && (
          <Field
            label={t.number}
            hint={t.numberHint}
            error={refused || task.refused.includes('smsNumber') ? allTexts.value.reasons.not_a_number : undefined}
            type="tel"
            value={given.number}
            onInput={(event) => write({ number: event.currentTarget.value })}
          />
        )}
        {given.on && application.fallbackContact === null && <p class="problem">{t.noDesk}</p>}
        {given.on && (
          <>
            <p class="quiet">{t.modem}</p>
            <p class="quiet">
              {t.twilio} <code>{address}</code> <Copy text={address} />
            </p>
          </>
        )}
      </SettingsForm>
    </Panel>
  )
}
