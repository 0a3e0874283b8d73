import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { numberOf } from '../logic/phone.ts'
import { failureText } from '../logic/service-words.ts'
import { adviceOf, changesOf, type Draft, type Provider, providerKeys } from '../logic/setup-values.ts'
import { language, texts } from '../state/language.ts'
import { BothProofs } from './both-proofs.tsx'
import { Field, Form, Problem } from './controls.tsx'
import { moment } from './moment.tsx'
import { refusalOf, SettingField, settingsOf } from './setting-field.tsx'
import type { SetupProps } from './setup-part.tsx'
import { useTask } from './task.ts'

/** A test message on its way: with which values, and until when its code counts. */
type Sent = { readonly values: object; readonly to: string; readonly ticket: string; readonly validUntil: string }

/**
 * A way to send: its values, a text with a code through it, and that code. Only then does it come in front.
 * `formerly`: the names of those that stay behind it.
 */
export function ProviderSetup({
  setup,
  provider,
  formerly,
  onDone,
  onCancel,
}: Pick<SetupProps, 'setup'> & {
  readonly provider: Provider
  readonly formerly: readonly string[]
  readonly onDone: () => void
  readonly onCancel: () => void
}) {
  const t = texts.value.site.messages
  const name = t.names[provider]!
  const task = useTask()
  const [draft, write] = useState<Draft>({})
  const [phone, call] = useState('')
  const [sent, wait] = useState<Sent | null>(null)
  const [code, enter] = useState('')
  const [asking, ask] = useState(false)
  const [tested, tryOut] = useState<Pick<Sent, 'values' | 'to'> | null>(null)
  const [failure, fail] = useState<string | null>(null)
  const { main, more } = providerKeys[provider]
  const keys = [...main, ...more]
  const settings = settingsOf(setup.settings, keys)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [sent === null])

  const test = (): void => {
    fail(null)
    void task.run(async () => {
      const to = numberOf(phone)
      if (to === null) throw new ApiError(400, { reason: 'not_a_number' })
      tryOut({ values: changesOf(settings, draft), to })
    })
  }
  const field = (setting: (typeof settings)[number]) => (
    <SettingField key={setting.key} setting={setting} draft={draft} onDraft={write} task={task} />
  )
  const title = (
    <h3 ref={heading} tabIndex={-1}>
      {name}
    </h3>
  )
  if (sent === null) {
    return (
      <Form class="provider-setup" onSend={test}>
        {title}
        <p>{t.means[provider]}</p>
        {settingsOf(settings, main).map(field)}
        {provider === 'twilio' && <p class="quiet hint-line">{t.oneNumber}</p>}
        <details>
          <summary>{texts.value.site.more}</summary>
          {settingsOf(settings, more).map(field)}
        </details>
        <Field
          label={t.testTo}
          hint={t.testHint}
          type="tel"
          autocomplete="tel"
          required
          placeholder="+436601234567"
          value={phone}
          onInput={(event) => call(event.currentTarget.value)}
        />
        <div class="actions">
          <button type="submit" class="main" disabled={task.busy}>
            {t.test}
          </button>
          <button type="button" onClick={onCancel}>
            {texts.value.cancel}
          </button>
        </div>
        <Problem text={refusalOf(task, keys)} />
        {failure !== null && (
          <p class="problem" role="status">
            {t.wentOut(failureText(failure, texts.value))} {t.advice[adviceOf(failure)]}
          </p>
        )}
        {tested !== null && (
          <BothProofs
            title={t.test}
            yes={t.test}
            act={async (proved) => {
              const asked = { ...tested, language: language.value }
              const sending = proved('POST', `/setup/providers/${provider}/test`, asked)
              const { ticket, validUntil } = (await sending) as Pick<Sent, 'ticket' | 'validUntil'>
              enter('')
              wait({ ...tested, ticket, validUntil })
            }}
            onEnd={(_, error) => {
              tryOut(null)
              const isFailure = error instanceof ApiError && error.reason === 'test_failed'
              if (isFailure) fail(String(error.body.error ?? ''))
              else void task.run(() => (error === null ? Promise.resolve() : Promise.reject(error)))
            }}
          >
            <p>{t.codeGoes(tested.to)}</p>
          </BothProofs>
        )}
      </Form>
    )
  }
  return (
    <Form class="provider-setup" onSend={() => ask(true)}>
      {title}
      <p role="status">{t.codeSent(sent.to)}</p>
      <p class="quiet">{t.nothingYet(moment(sent.validUntil))}</p>
      <Field
        label={t.code}
        required
        autocomplete="off"
        inputMode="numeric"
        placeholder="1234 5678"
        maxLength={20}
        value={code}
        onInput={(event) => enter(event.currentTarget.value)}
      />
      <div class="actions">
        <button type="submit" class="main" disabled={task.busy}>
          {t.use}
        </button>
        <button type="button" onClick={() => wait(null)}>
          {t.back}
        </button>
      </div>
      <Problem text={refusalOf(task, [])} />
      {asking && (
        <BothProofs
          title={t.useAsk(name)}
          yes={t.use}
          act={(proved) => {
            const { values, ticket } = sent
            return proved('POST', `/setup/providers/${provider}/confirm`, { values, ticket, code })
          }}
          onEnd={(ok, error) => {
            ask(false)
            void task.run(() => (error === null ? Promise.resolve() : Promise.reject(error)))
            if (ok) onDone()
          }}
        >
          <p>
            {t.firstMeans(name)} {formerly.length > 0 && t.stays(formerly.join(', '))}
          </p>
        </BothProofs>
      )}
    </Form>
  )
}
