import { Fragment } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ApiError } from '../api/client.ts'
import { failureText } from '../logic/service-words.ts'
import { adviceOf, changesOf, type Draft, type Provider, providerKeys } from '../logic/setup-values.ts'
import { numberOf } from '../logic/typed-number.ts'
import { allTexts, language } from '../state/language.ts'
import { BothProofs } from './both-proofs.tsx'
import { Field, Form, Problem } from './controls.tsx'
import { moment } from './moment.tsx'
import { refusalOf, SettingField, settingsOf } from './setting-field.tsx'
import type { SetupProps } from './setup-part.tsx'
import { useTask } from './task.ts'

type Channel = 'sms' | 'voice'
type Ticket = { readonly ticket: string; readonly validUntil: string }
/** Test messages on their way: with which values, and by which channels. */
type Sent = { readonly values: object; readonly to: string } & { readonly [channel in Channel]: Ticket | null }

/**
 * A way to send: its values, a text with a code through it, and that code. Only then does it come in front. A call with
 * a code is a second test.
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
  const t = allTexts.value.site.messages
  const name = t.names[provider]!
  const task = useTask()
  const [draft, write] = useState<Draft>({})
  const [phone, call] = useState('')
  const [sent, wait] = useState<Sent | null>(null)
  const [codes, enter] = useState<Readonly<Record<Channel, string>>>({ sms: '', voice: '' })
  const [asking, ask] = useState(false)
  const [tested, tryOut] = useState<(Pick<Sent, 'values' | 'to'> & { readonly channel: Channel }) | null>(null)
  const [failure, fail] = useState<string | null>(null)
  const { main, more } = providerKeys[provider]
  const keys = [...main, ...more]
  const settings = settingsOf(setup.settings, keys)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [sent === null])

  const mayCall = provider !== 'modem'
  const test = (channel: Channel): void => {
    fail(null)
    void task.run(async () => {
      if (sent !== null) return tryOut({ values: sent.values, to: sent.to, channel })
      const to = numberOf(phone)
      if (to === null) throw new ApiError(400, { reason: 'not_a_number' })
      tryOut({ values: changesOf(settings, draft), to, channel })
    })
  }
  const problems = (
    <>
      <Problem text={refusalOf(task, sent === null ? keys : [])} />
      {failure !== null && (
        <p class="problem" role="status">
          {t.wentOut(failureText(failure, allTexts.value))} {t.advice[adviceOf(failure)]}
        </p>
      )}
      {tested !== null && (
        <BothProofs
          title={t.tests[tested.channel]}
          yes={t.tests[tested.channel]}
          act={async (proved) => {
            const asked = { ...tested, language: language.value }
            const ticket = (await proved('POST', `/setup/providers/${provider}/test`, asked)) as Ticket
            const { channel, values, to } = tested
            enter({ ...(sent === null ? { sms: '', voice: '' } : codes), [channel]: '' })
            wait({ ...(sent ?? { sms: null, voice: null }), values, to, [channel]: ticket })
          }}
          onEnd={(_, error) => {
            tryOut(null)
            const isFailure = error instanceof ApiError && error.reason === 'test_failed'
            if (isFailure) fail(String(error.body.error ?? ''))
            else void task.run(() => (error === null ? Promise.resolve() : Promise.reject(error)))
          }}
        >
          <p>{t.codeGoes[tested.channel](tested.to)}</p>
        </BothProofs>
      )}
    </>
  )
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
      <Form class="provider-setup" onSend={() => test('sms')}>
        {title}
        <p>{t.means[provider]}</p>
        {settingsOf(settings, main).map(field)}
        {provider === 'twilio' && <p class="quiet hint-line">{t.oneNumber}</p>}
        <details>
          <summary>{allTexts.value.site.more}</summary>
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
            {t.tests.sms}
          </button>
          {mayCall && (
            <button type="button" disabled={task.busy} onClick={() => test('voice')}>
              {t.tests.voice}
            </button>
          )}
          <button type="button" onClick={onCancel}>
            {allTexts.value.cancel}
          </button>
        </div>
        {problems}
      </Form>
    )
  }
  const channels = mayCall ? (['sms', 'voice'] as const) : (['sms'] as const)
  const [validUntil = ''] = channels.flatMap((channel) => sent[channel]?.validUntil ?? []).sort()
  return (
    <Form class="provider-setup" onSend={() => ask(true)}>
      {title}
      {channels.map((channel) =>
        sent[channel] === null ? (
          <div key={channel} class="actions">
            <span class="quiet">{t.notTried[channel]}</span>
            <button type="button" class="small" disabled={task.busy} onClick={() => test(channel)}>
              {t.tests[channel]}
            </button>
          </div>
        ) : (
          <Fragment key={channel}>
            <p role="status">{t.codeSent[channel](sent.to)}</p>
            <Field
              label={t.codes[channel]}
              // Nobody waits for a call that does not come: it counts as not tried.
              required={channel === 'sms' || sent.sms === null}
              autocomplete="off"
              inputMode="numeric"
              placeholder="1234 5678"
              maxLength={20}
              value={codes[channel]}
              onInput={(event) => enter({ ...codes, [channel]: event.currentTarget.value })}
            />
          </Fragment>
        ),
      )}
      <p class="quiet">{t.nothingYet(moment(validUntil))}</p>
      <div class="actions">
        <button type="submit" class="main" disabled={task.busy}>
          {t.use}
        </button>
        <button type="button" onClick={() => wait(null)}>
          {t.back}
        </button>
      </div>
      {problems}
      {asking && (
        <BothProofs
          title={t.useAsk(name)}
          yes={t.use}
          act={(proved) => proved('POST', `/setup/providers/${provider}/confirm`, confirmationOf(sent, codes))}
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

/** The first code proves the provider; that of a call goes beside the one of a text. */
function confirmationOf(sent: Sent, codes: Readonly<Record<Channel, string>>): object {
  const read = (channel: Channel) => ({ ticket: sent[channel]?.ticket ?? '', code: codes[channel] })
  const { values, sms, voice } = sent
  if (sms === null) return { values, ...read('voice') }
  const isCalled = voice !== null && codes.voice.trim() !== ''
  return { values, ...read('sms'), ...(isCalled && { call: read('voice') }) }
}
