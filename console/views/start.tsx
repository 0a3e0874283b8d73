import { signal } from '@preact/signals'
import { ArrowDown, Check } from 'lucide'
import type { ComponentChildren } from 'preact'
import { useEffect, useId, useState } from 'preact/hooks'
import { ApiError, send } from '../api/client.ts'
import type { Application, FirstSteps, Tested } from '../api/types.ts'
import { hashOf } from '../logic/route.ts'
import { failureText } from '../logic/service-words.ts'
import { curlOf, quoted } from '../logic/shell.ts'
import { numberOf } from '../logic/typed-number.ts'
import { Commands } from '../parts/commands.tsx'
import { Empty, Field, Form, Problem } from '../parts/controls.tsx'
import { Icon } from '../parts/icon.tsx'
import { Secret } from '../parts/secret.tsx'
import { useShownOnce } from '../parts/shown-once.ts'
import { problemOf, useTask } from '../parts/task.ts'
import { arm, audible } from '../state/alarm.ts'
import { firstSteps, readFirstSteps } from '../state/first-steps.ts'
import { allTexts, language } from '../state/language.ts'

type Done = { readonly children?: ComponentChildren; readonly onDone: () => void }

/**
 * From an empty service to the first simulated SOS on the board. The service decides which steps are done, so the
 * set-up can be left and resumed, here or on the command line.
 */
export function Start() {
  const t = allTexts.value.start
  const [problem, say] = useState<string | null>(null)
  const [phone, call] = useState('')
  const again = (): void =>
    void readFirstSteps().then(
      () => say(null),
      (error) => say(problemOf(error)),
    )
  useEffect(again, [])
  const steps = firstSteps.value
  const isRead = steps !== null
  useEffect(() => {
    if (steps !== null) go(firstOpen(steps))
  }, [isRead])
  return (
    <main>
      <h1>{allTexts.value.views.start}</h1>
      <Problem text={problem} />
      {steps === null && problem === null && <Empty>{allTexts.value.loading}</Empty>}
      {steps?.done && (
        <p class="banner good" role="status">
          {t.allDone} <a href="#/">{allTexts.value.board.back}</a>
        </p>
      )}
      {steps !== null && (
        <ol class="steps">
          <ApplicationStep steps={steps} onDone={again} />
          <ContactStep steps={steps} onDone={again} phone={phone} onPhone={call} />
          <TestStep steps={steps} onDone={again} phone={phone} onPhone={call} />
          <SimulationStep steps={steps} onDone={again} />
          <LeavingStep steps={steps} />
        </ol>
      )}
    </main>
  )
}

/** The step that is open: the first that is not done when the page opens. What a step shows stays until it is left. */
const at = signal(1)

/** One step. `done`: the result as stored by the service. */
function Step({
  n,
  title,
  done,
  children,
}: {
  readonly n: number
  readonly title: string
  readonly done: string | null
  readonly children: ComponentChildren
}) {
  const id = useId()
  const isOpen = at.value === n
  return (
    <li class={`step ${done === null ? '' : 'done'}`}>
      <section class="panel" aria-labelledby={id}>
        <h2 id={id}>
          <button type="button" aria-expanded={isOpen} onClick={() => go(n)}>
            <span class="number" aria-hidden="true">
              {done === null ? n : <Icon of={Check} />}
            </span>
            <span>
              <span class="unseen">{n}. </span>
              {title}
            </span>
          </button>
        </h2>
        {done !== null && (
          <p class="said" role="status">
            ✓ {done}
          </p>
        )}
        <div hidden={!isOpen}>
          {children}
          {done !== null && n < LAST && (
            <button type="button" class="next-step" onClick={() => go(n + 1)}>
              {allTexts.value.start.nextStep} <Icon of={ArrowDown} />
            </button>
          )}
        </div>
      </section>
    </li>
  )
}

const LAST = 5
const go = (n: number): void => {
  at.value = n
}

const firstOpen = ({ application, contact, test, simulated }: FirstSteps): number => {
  const done = [application !== null, contact !== null, test !== null, simulated]
  return done.every(Boolean) ? LAST : done.indexOf(false) + 1
}

type Steps = Done & { readonly steps: FirstSteps }
type WithPhone = Steps & { readonly phone: string; readonly onPhone: (typed: string) => void }

function ApplicationStep({ steps: { application }, onDone }: Steps) {
  const t = allTexts.value.start
  const task = useTask()
  const [name, write] = useState('')
  const { shown, show } = useShownOnce<string>()
  const body = { name: name.trim() || t.exampleName, language: language.value }
  const create = (): void =>
    void task
      .run(async () => {
        show((await send<Application & { readonly secret: string }>('/applications', body)).secret)
        write('')
      })
      .then((made) => made && onDone())
  return (
    <Step n={1} title={t.application} done={application?.name ?? null}>
      {shown !== null && <Secret secret={shown.secret} />}
      {application === null && (
        <>
          <p>{t.applicationMeans}</p>
          <Form onSend={create}>
            <Field
              label={allTexts.value.settings.name}
              required
              maxLength={200}
              placeholder={t.exampleName}
              value={name}
              onInput={(event) => write(event.currentTarget.value)}
            />
            <button type="submit" class="main" disabled={task.busy}>
              {allTexts.value.settings.create}
            </button>
          </Form>
          <Problem text={task.problem} />
          <Commands
            command={`tocsin app create --name ${quoted(body.name)} --language ${body.language}`}
            request={curlOf(location.origin, '/applications', body)}
          />
        </>
      )}
    </Step>
  )
}

const PhoneField = ({
  phone,
  onPhone,
  label,
  hint,
}: Pick<WithPhone, 'phone' | 'onPhone'> & Record<'label' | 'hint', string>) => (
  <Field
    label={label}
    hint={hint}
    type="tel"
    autocomplete="tel"
    required
    placeholder="+436601234567"
    value={phone}
    onInput={(event) => onPhone(event.currentTarget.value)}
  />
)

/** Refuses a number that the service would refuse, in the language of the page. */
function numberFor(phone: string): string {
  const number = numberOf(phone)
  if (number === null) throw new ApiError(400, { reason: 'not_a_number' })
  return number
}

function ContactStep({ steps: { application, contact }, onDone, phone, onPhone }: WithPhone) {
  const t = allTexts.value.start
  const task = useTask()
  const [given, set] = useState({ externalUserId: '', name: '' })
  const app = application?.applicationId ?? null
  const field = (name: keyof typeof given) => ({
    value: given[name],
    required: true,
    onInput: (event: { currentTarget: HTMLInputElement }) => set({ ...given, [name]: event.currentTarget.value }),
  })
  const bodyOf = (number: string) => ({
    externalUserId: given.externalUserId.trim(),
    name: given.name.trim(),
    phone: number,
  })
  const add = (): void =>
    void task
      .run(() => send(`/applications/${app}/contacts`, bodyOf(numberFor(phone))))
      .then((added) => added && onDone())
  const shown = bodyOf(numberOf(phone) ?? '+43…')
  const user = shown.externalUserId || t.exampleUser
  const name = shown.name || 'Ana'
  return (
    <Step n={2} title={t.addContact} done={contact && t.hasContact(contact.name, contact.externalUserId)}>
      {contact === null && (
        <>
          <p>{t.contactMeans}</p>
          {app !== null && (
            <Form onSend={add}>
              <Field
                label={t.user}
                hint={t.userHint}
                maxLength={128}
                placeholder={t.exampleUser}
                {...field('externalUserId')}
              />
              <Field label={t.contactName} maxLength={200} autocomplete="name" {...field('name')} />
              <PhoneField label={t.contactPhone} hint={t.phoneHint} phone={phone} onPhone={onPhone} />
              <button type="submit" class="main" disabled={task.busy}>
                {t.addContact}
              </button>
            </Form>
          )}
          {app === null && <p class="quiet">{t.applicationFirst}</p>}
          <Problem text={task.problem} />
          <Commands
            command={`tocsin contact add ${app ?? 'APP'} ${quoted(user)} --name ${quoted(name)} --phone ${shown.phone}`}
            request={curlOf(location.origin, `/applications/${app ?? 'APP'}/contacts`, {
              ...shown,
              externalUserId: user,
              name,
            })}
          />
        </>
      )}
    </Step>
  )
}

function TestStep({ steps: { application, test }, onDone, phone, onPhone }: WithPhone) {
  const t = allTexts.value.start
  const task = useTask()
  const [tested, show] = useState<Tested | null>(null)
  const app = application?.applicationId ?? null
  const go = (): void => {
    show(null)
    void task
      .run(async () => {
        const body = { channel: 'sms', to: numberFor(phone), language: language.value }
        show(await send<Tested>(`/applications/${app}/test`, body))
      })
      .then((sent) => sent && onDone())
  }
  const to = numberOf(phone) ?? '+43…'
  return (
    <Step n={3} title={t.messageGo} done={test && t.testTaken}>
      <p>{t.messageMeans}</p>
      {app === null && <p class="quiet">{t.applicationFirst}</p>}
      {app !== null && (
        <Form onSend={go}>
          <PhoneField label={allTexts.value.settings.testTo} hint={t.phoneHint} phone={phone} onPhone={onPhone} />
          <button type="submit" class={test === null ? 'main' : ''} disabled={task.busy}>
            {t.messageGo}
          </button>
        </Form>
      )}
      <Problem text={task.problem} />
      {tested !== null && <Result tested={tested} />}
      <Commands
        command={`tocsin notify test ${app ?? 'APP'} --channel sms --to ${to}`}
        request={curlOf(location.origin, `/applications/${app ?? 'APP'}/test`, { channel: 'sms', to })}
      />
    </Step>
  )
}

/** The status of the test message, and what to do if it has reached no phone. */
function Result({ tested: { status, provider, error, warnings } }: { readonly tested: Tested }) {
  const t = allTexts.value.start
  const isKept = provider === 'outbox'
  return (
    <div role="status">
      {isKept && (
        <p class="banner warn">
          {t.kept} <a href={hashOf('site')}>{allTexts.value.setupLeads.go}</a> ·{' '}
          <a href="#/system">{allTexts.value.system.outbox}</a>
        </p>
      )}
      {!isKept && provider !== null && <p class="said">{t.taken(provider)}</p>}
      {status === 'failed' && <p class="problem">{t.failed(failureText(error ?? '', allTexts.value))}</p>}
      {status === 'unknown' && <p class="problem">{t.unknown}</p>}
      {!isKept && warnings.length > 0 && (
        <p class="quiet">
          {allTexts.value.healthMeans.other} <a href="#/system">{allTexts.value.doctor.title}</a>
        </p>
      )}
    </div>
  )
}

function SimulationStep({ steps: { application, simulated, maySimulate }, onDone }: Steps) {
  const t = allTexts.value.start
  const task = useTask()
  const [incidentId, ring] = useState<string | null>(null)
  const simulate = (): void =>
    void task
      .run(async () => ring((await send<{ incidentId: string }>('/simulate')).incidentId))
      .then((raised) => raised && onDone())
  const { desk, drills } = allTexts.value
  return (
    <Step
      n={4}
      title={maySimulate || simulated ? desk.quiet.simulate : drills.start}
      done={simulated ? t.simulated : null}
    >
      <p>{t.soundMeans}</p>
      <p>
        <button type="button" class={audible.value ? 'armed' : 'main'} onClick={() => void arm()}>
          {audible.value ? `✓ ${allTexts.value.sound.on}` : t.soundTest}
        </button>
      </p>
      {!maySimulate && <p>{t.drillInstead}</p>}
      {maySimulate && (
        <>
          <p>{t.simulateMeans}</p>
          <button type="button" class={audible.value ? 'main' : ''} disabled={task.busy} onClick={simulate}>
            {desk.quiet.simulate}
          </button>
        </>
      )}
      {incidentId !== null && (
        <p role="status">
          <a href="#/">{allTexts.value.board.back}</a> · <a href={`#/incident/${incidentId}`}>{t.openIt}</a>
        </p>
      )}
      <Problem text={task.problem} />
      {maySimulate ? (
        <Commands command="tocsin simulate" request={curlOf(location.origin, '/simulate')} />
      ) : (
        <Commands
          command={`tocsin drill start ${application?.applicationId ?? 'APP'}`}
          request={curlOf(location.origin, '/drills', { app: application?.applicationId ?? 'APP' })}
        />
      )}
    </Step>
  )
}

/** The last one: until then nobody is alerted. In the set-up of the site, with a test message of its own. */
function LeavingStep({ steps: { maySimulate } }: Pick<Steps, 'steps'>) {
  const t = allTexts.value.setupLeads
  return (
    <Step n={5} title={t.go} done={maySimulate ? null : t.done}>
      {maySimulate && (
        <>
          <p>{t.means}</p>
          <a class="button main" href={hashOf('site')}>
            {t.go}
          </a>
        </>
      )}
    </Step>
  )
}
