import { allTexts } from '../state/language.ts'
import { Copy, Field } from './controls.tsx'
import { Qr } from './qr.tsx'

/** The secret for an authenticator app, and the field for the code that the app shows then. */
export function SecondFactor({
  offer: { totpSecret, otpauthUri },
  code,
  onCode,
}: {
  readonly offer: { readonly totpSecret: string; readonly otpauthUri: string }
  readonly code: string
  readonly onCode: (code: string) => void
}) {
  const t = allTexts.value.first
  return (
    <>
      <div class="second">
        <Qr text={otpauthUri} label={t.qr} />
        <div>
          <p>
            {t.scan}
            <br />
            <code>{totpSecret.match(/.{1,4}/g)?.join(' ')}</code> <Copy text={totpSecret} />
          </p>
          <p>
            <a href={otpauthUri}>{allTexts.value.onThisDevice}</a>
          </p>
        </div>
      </div>
      <Field
        label={t.code}
        inputmode="numeric"
        autocomplete="one-time-code"
        required
        value={code}
        onInput={(event) => onCode(event.currentTarget.value)}
      />
    </>
  )
}

/** The recovery codes, shown once. `to`: where `done` leads. */
export function RecoveryCodes({
  codes,
  done,
  to,
}: {
  readonly codes: readonly string[]
  readonly done: string
  readonly to: string
}) {
  return (
    <>
      <p>{allTexts.value.first.codes}</p>
      <ul class="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Copy text={codes.join('\n')} />
        <a class="button main" href={to}>
          {done}
        </a>
      </div>
    </>
  )
}
