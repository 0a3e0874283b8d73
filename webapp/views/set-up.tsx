import { useEffect } from 'preact/hooks'
import { Panel } from '../../console/parts/blocks.tsx'
import { CallEmergency } from '../parts/call.tsx'
import { ContactForm } from '../parts/contact-form.tsx'
import { ContactList } from '../parts/contact-list.tsx'
import { useLoaded } from '../parts/loaded.ts'
import { PersonForm } from '../parts/person-form.tsx'
import { Practice } from '../parts/practice.tsx'
import { askForPosition, lookAtPermission, positionState } from '../state/device.ts'
import { enrolment, keepEnrolment, type SetUpStep, setUpSteps } from '../state/enrolment.ts'
import { texts } from '../state/language.ts'
import { sdk } from '../state/sos.ts'

function ContactsStep({ onDone }: { readonly onDone: () => void }) {
  const t = texts.value
  const { value, again } = useLoaded(() => sdk().contacts.list())
  const hasSome = value !== null && value.length > 0
  return (
    <>
      <p>{t.join.contactsHint}</p>
      {hasSome && <ContactList contacts={value} onChange={again} />}
      <ContactForm onAdded={() => void again()} proposed={enrolment.value?.proposed ?? null} isMain={!hasSome} />
      <button type="button" class={hasSome ? 'main' : ''} onClick={onDone}>
        {hasSome ? t.next : t.later}
      </button>
    </>
  )
}

function PositionStep({ onDone }: { readonly onDone: () => void }) {
  const t = texts.value
  useEffect(() => void lookAtPermission(), [])
  const state = positionState.value
  return (
    <>
      <p>{t.join.positionHint}</p>
      {state === 'granted' && <p class="notice good">{t.join.positionOn}</p>}
      {state === 'denied' && <p class="notice bad">{t.join.positionOff}</p>}
      {state === 'prompt' && (
        <button type="button" class="main" onClick={() => void askForPosition()}>
          {t.join.positionAllow}
        </button>
      )}
      <button type="button" class={state === 'prompt' ? '' : 'main'} onClick={onDone}>
        {state === 'prompt' ? t.later : t.next}
      </button>
    </>
  )
}

/** The screens that follow the invitation. Each can be left for later. */
export function SetUp({ step }: { readonly step: SetUpStep }) {
  const t = texts.value
  const at = setUpSteps.indexOf(step)
  const next = (): void => {
    const own = enrolment.value
    if (own != null) void keepEnrolment({ ...own, setUp: setUpSteps[at + 1] ?? null })
  }
  return (
    <main class="set-up">
      <h1 class="unseen">{enrolment.value?.application.name}</h1>
      <p class="quiet">{t.join.step(at + 1, setUpSteps.length)}</p>
      <Panel title={t.join[step]}>
        {step === 'you' && (
          <>
            <PersonForm button={t.next} onDone={next} />
            <button type="button" class="link" onClick={next}>
              {t.later}
            </button>
          </>
        )}
        {step === 'contacts' && <ContactsStep onDone={next} />}
        {step === 'position' && <PositionStep onDone={next} />}
        {step === 'practice' && (
          <>
            <Practice button={t.done} onDone={next} />
            <p class="quiet">{t.join.install}</p>
          </>
        )}
      </Panel>
      <p>
        <CallEmergency />
      </p>
    </main>
  )
}
