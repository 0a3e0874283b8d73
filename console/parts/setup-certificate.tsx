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
import { isOurs, variableOf } from '../logic/setup-values.ts'
import { allTexts } from '../state/language.ts'
import { Field, Panel, Select } from './controls.tsx'
import { moment } from './moment.tsx'
import { problemIn, settingsOf } from './setting-field.tsx'
import { FormField, SetupForm, type SetupProps, useSetupForm } from './setup-part.tsx'

const ALL = ['acme.enabled', ...certificateKinds.flatMap((kind) => Object.values(certificateKeys[kind]).flat())]
const TERMS = 'https://letsencrypt.org/repository/'
const MAX_NAMES = 4
/** The first certificate of a CA takes seconds. */
const LOOK_MS = 5000

/** The certificate that clients get: of the local CA, of a public CA, or one's own. */
export function SetupCertificate({ setup, onChanged }: SetupProps) {
  const t = allTexts.value.site
  const words = t.certificate
  const form = useSetupForm()
  const { task, draft, write, saved } = form
  const [picked, pick] = useState<CertificateKind | null>(null)
  const [accepts, accept] = useState(false)
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
  const values = certificateChanges(settings, kind, draft)
  const isNewCa = values['acme.enabled'] === true
  const isPemMissing = kind === 'own' && inUse !== 'own' && values['tls.pem'] === undefined
  const field = (setting: SetupSetting) => <FormField key={setting.key} form={form} setting={setting} />
  return (
    <Panel title={t.sections.certificate!}>
      <InUse certificate={setup.certificate} isAwaited={isAwaited && saved} />
      {isOfFile && <p>{words.inFile}</p>}
      {fixed !== undefined && (
        <p>{fixed.source === 'file' ? t.inFile(fixed.key) : t.inEnvironment(variableOf(fixed.key))}</p>
      )}
      <SetupForm
        {...{ form, values }}
        class="provider-setup"
        section="certificate"
        settings={isOfFile ? [] : settings}
        keys={[...main, ...more]}
        lacking={isNewCa && !accepts ? words.acceptFirst : isPemMissing ? words.needsPem : null}
        // About another part, such as the public address.
        beside={['acme.enabled', 'publicUrl', 'acme.dnsHook'].map((key) => problemIn(task, key)).find(Boolean)}
        said={isAwaited ? words.ordered : t.saved}
        onDone={() => {
          pick(null)
          onChanged()
        }}
      >
        {mayChoose && (
          <Select
            label={words.which}
            value={kind}
            options={certificateKinds.map((one) => [one, words.kinds[one]])}
            onPick={(next) => {
              pick(next as CertificateKind)
              write({ ...draft, ...draftFor(settings, next as CertificateKind) })
            }}
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
      </SetupForm>
    </Panel>
  )
}

/** The certificate in use, and its faults. */
function InUse({
  certificate: { source, names, validTo, concerns },
  isAwaited,
}: {
  readonly certificate: NonNullable<SiteSetup['certificate']>
  /** It was ordered just now, so that there is none yet is fine. */
  readonly isAwaited: boolean
}) {
  const words = allTexts.value.site.certificate
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
          <p key={concern} class="problem" lang="en">
            {concern}
          </p>
        ))}
    </>
  )
}
