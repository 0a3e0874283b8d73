import { useEffect, useState } from 'preact/hooks'
import type { SetupSetting, SiteSetup } from '../api/types.ts'
import {
  type CertificateKind,
  certificateChanges,
  certificateKeys,
  certificateKinds,
  draftFor,
  kindOfCertificate,
  mayChooseKind,
} from '../logic/setup-certificate.ts'
import { type Draft, isOurs, variableOf } from '../logic/setup-values.ts'
import { texts } from '../state/language.ts'
import { BothProofs } from './both-proofs.tsx'
import { Field, Form, Panel, Problem, Select } from './controls.tsx'
import { moment } from './moment.tsx'
import { problemIn, refusalOf, SettingField, settingsOf } from './setting-field.tsx'
import type { SetupProps } from './setup-part.tsx'
import { useTask } from './task.ts'

const ALL = ['acme.enabled', ...certificateKinds.flatMap((kind) => Object.values(certificateKeys[kind]).flat())]
const TERMS = 'https://letsencrypt.org/repository/'
const MAX_NAMES = 4
/** The first certificate of a CA takes seconds. */
const LOOK_MS = 5000

/** Which certificate clients get: of the local CA, of a public CA, or one's own. */
export function SetupCertificate({ setup, onChanged }: SetupProps) {
  const t = texts.value.site
  const words = t.certificate
  const task = useTask()
  const [picked, pick] = useState<CertificateKind | null>(null)
  const [draft, write] = useState<Draft>({})
  const [accepts, accept] = useState(false)
  const [asking, ask] = useState(false)
  const [saved, tell] = useState(false)
  const [missing, miss] = useState<string | null>(null)
  const settings = settingsOf(setup.settings, [...new Set(ALL)])
  const inUse = kindOfCertificate(settings)
  const kind = picked ?? inUse
  const isOfFile = setup.certificate?.source === 'operator' && inUse !== 'own'
  const mayChoose = mayChooseKind(settings, isOfFile)
  const fixed = settingsOf(settings, ['acme.enabled', 'tls.pem']).find((setting) => !isOurs(setting))
  const isAwaited = inUse === 'acme' && setup.certificate?.source === 'local'
  useEffect(() => {
    if (!isAwaited) return
    const timer = setInterval(onChanged, LOOK_MS)
    return () => clearInterval(timer)
  }, [isAwaited])
  if (setup.certificate === null) return null

  const { main, more } = certificateKeys[kind]
  const keys: readonly string[] = [...main, ...more]
  const values = certificateChanges(settings, kind, draft)
  const isNewCa = values['acme.enabled'] === true
  const isChanged = Object.keys(values).length > 0
  const isPemMissing = kind === 'own' && inUse !== 'own' && values['tls.pem'] === undefined
  const lacking = isNewCa && !accepts ? words.acceptFirst : isPemMissing ? words.needsPem : null
  const save = (): void => {
    tell(false)
    miss(lacking)
    if (lacking === null && isChanged) ask(true)
  }
  const choose = (next: CertificateKind): void => {
    tell(false)
    miss(null)
    pick(next)
    write({ ...draft, ...draftFor(settings, next) })
  }
  const field = (setting: SetupSetting) => (
    <SettingField
      key={setting.key}
      setting={setting}
      draft={draft}
      onDraft={(next) => {
        tell(false)
        write(next)
      }}
      task={task}
    />
  )
  // About another part, such as the public address.
  const beside = ['acme.enabled', 'publicUrl', 'acme.dnsHook'].map((key) => problemIn(task, key)).find(Boolean)
  return (
    <Panel title={t.sections.certificate!}>
      <InUse certificate={setup.certificate} isAwaited={isAwaited && saved} />
      {isOfFile && <p>{words.inFile}</p>}
      {fixed !== undefined && (
        <p>{fixed.source === 'file' ? t.inFile(fixed.key) : t.inEnvironment(variableOf(fixed.key))}</p>
      )}
      <Form class="provider-setup" onSend={save}>
        {mayChoose && (
          <Select
            label={words.which}
            value={kind}
            options={certificateKinds.map((one) => [one, words.kinds[one]])}
            onPick={(next) => choose(next as CertificateKind)}
          />
        )}
        {!isOfFile && <p class="quiet">{words.means[kind]}</p>}
        {!isOfFile && settingsOf(settings, main).map(field)}
        {kind === 'own' && mayChoose && (
          <Field
            label={words.files}
            type="file"
            multiple
            accept=".pem,.crt,.cer,.key,.txt"
            onChange={(event) =>
              void Promise.all([...(event.currentTarget.files ?? [])].map((file) => file.text())).then((read) =>
                write({ ...draft, 'tls.pem': read.join('\n') }),
              )
            }
          />
        )}
        {isNewCa && (
          <label class="check">
            <input type="checkbox" checked={accepts} onChange={(event) => accept(event.currentTarget.checked)} />{' '}
            {words.terms}
          </label>
        )}
        {isNewCa && (
          <p>
            <a href={TERMS} target="_blank" rel="noreferrer">
              {words.termsLink}
            </a>
          </p>
        )}
        {!isOfFile && (
          <details>
            <summary>{t.more}</summary>
            {settingsOf(settings, more).map(field)}
          </details>
        )}
        {!isOfFile && settings.some(isOurs) && (
          <button type="submit" class="main" disabled={task.busy || (!isChanged && !isPemMissing)}>
            {texts.value.save}
          </button>
        )}
        <Problem text={missing ?? beside ?? refusalOf(task, keys)} />
        {saved && !isChanged && (
          <p class="good" role="status">
            ✓ {isAwaited ? words.ordered : t.saved}
          </p>
        )}
      </Form>
      {asking && (
        <BothProofs
          title={t.changeAsk}
          yes={texts.value.save}
          act={(send) => send('PUT', '/setup/certificate', { values })}
          onEnd={(ok, error) => {
            ask(false)
            void task.run(() => (error === null ? Promise.resolve() : Promise.reject(error)))
            if (!ok) return
            write({})
            pick(null)
            tell(true)
            onChanged()
          }}
        >
          <p>{t.changeMeans}</p>
        </BothProofs>
      )}
    </Panel>
  )
}

/** The certificate in use, and what is wrong with it. */
function InUse({
  certificate: { source, names, validTo, concerns },
  isAwaited,
}: {
  readonly certificate: NonNullable<SiteSetup['certificate']>
  /** It was ordered just now: that there is none yet is no problem. */
  readonly isAwaited: boolean
}) {
  const words = texts.value.site.certificate
  const sources = { local: words.local, acme: words.ofCa, operator: words.own }
  const some = names.slice(0, MAX_NAMES).join(', ')
  const shown = names.length > MAX_NAMES ? `${some} …` : some
  return (
    <>
      <p class="in-use">
        <strong>{words.now}</strong>
        <br />
        {words.until(sources[source], shown, moment(validTo))}
        {source === 'local' && ` ${words.rejected}`}
      </p>
      {!isAwaited &&
        concerns.map((concern) => (
          <p key={concern} class="problem">
            {concern}
          </p>
        ))}
    </>
  )
}
