import { useState } from 'preact/hooks'
import type { Application, InvitationMade } from '../api/types.ts'
import { countdown } from '../logic/age.ts'
import { hasLocalOnly } from '../logic/local-address.ts'
import { browserNow } from '../state/clock.ts'
import { allTexts } from '../state/language.ts'
import { me } from '../state/session.ts'
import { sheetLanguageOf, sheetLanguages, sheetWords } from '../texts/sheet.ts'
import { Copy, Select } from './controls.tsx'
import { Until } from './moment.tsx'
import { Qr } from './qr.tsx'

/** How long an invitation stays on the screen: somebody else may come to it. */
export const INVITATION_SHOWN_MS = 10 * 60_000

export type ShownInvitation = {
  readonly made: InvitationMade
  readonly application: Pick<Application, 'name' | 'language' | 'webApp'>
}

const nameOf = (code: string): string => new Intl.DisplayNames([code], { type: 'language' }).of(code) ?? code

/** An invitation that was just made: to scan here, to copy, or to print. */
export function Invitation({
  shown: { made, application },
  until,
  onHide,
}: {
  readonly shown: ShownInvitation
  readonly until: number
  readonly onHide: () => void
}) {
  const t = allTexts.value.invitations
  const [language, pick] = useState(sheetLanguageOf(application.language))
  return (
    <div class="secret hand-over">
      <p>
        <span role="status">{t.onlyNow}</span> {countdown(until - browserNow.value)}
      </p>
      {hasLocalOnly(made.link) && <p class="problem">{t.unreachable}</p>}
      <p>
        {t.works} <Until at={made.expiresAt} />
      </p>
      <Select
        label={t.sheetLanguage}
        value={language}
        options={sheetLanguages.map((code) => [code, nameOf(code)])}
        onPick={pick}
      />
      <Sheet made={made} application={application} language={language} />
      <div class="actions">
        <button type="button" class="main" onClick={() => print()}>
          {t.print}
        </button>
        <span>
          {t.copyLink} <Copy text={made.link} />
        </span>
        <button type="button" onClick={onHide}>
          {t.hide}
        </button>
      </div>
    </div>
  )
}

/** A page of paper: alone when it is printed (console.css). */
function Sheet({ made, application, language }: ShownInvitation & { readonly language: string }) {
  const words = sheetWords(language)
  const site = me.value?.site.name
  const until = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', hourCycle: 'h23' })
  return (
    <div class="sheet" lang={language}>
      <h3>{application.name}</h3>
      <p class="sheet-for">{made.kind === 'poster' ? words.poster : words.personal}</p>
      <Qr text={made.link} label={allTexts.value.invitations.qr} />
      {made.trust != null && (
        <div class="sheet-trust">
          <strong>{words.first}</strong>
          <p>{words.trust(made.trust.address)}</p>
          <code>{made.trust.fingerprint}</code>
        </div>
      )}
      <ol>
        {words.steps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <p>
        <strong>{words.notInstead(application.webApp.emergencyNumber)}</strong>
      </p>
      <p class="sheet-foot">
        {made.kind === 'poster' ? site : `${site} · ${words.once(until.format(Date.parse(made.expiresAt)))}`}
        <br />
        <code>{made.link}</code>
      </p>
    </div>
  )
}
