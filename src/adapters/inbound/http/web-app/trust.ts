import { X509Certificate } from 'node:crypto'
import type { LocalCa } from '../../../../ports/web-apps.ts'
import { plainDocument } from '../tracking/document.ts'
import { type Html, html } from '../tracking/html.ts'
import { trustTexts } from './trust-texts.ts'

/**
 * The page that helps people to trust the local CA. Whoever can change it on its way could offer another CA, so it asks
 * for the comparison with a fingerprint that came another way, before it offers the file.
 */
export function trustDocument(ca: LocalCa | null, wanted: readonly string[], needsHttps: boolean): string {
  const t = trustTexts(wanted)
  const { language } = t
  // No certificate helps there.
  if (needsHttps)
    return plainDocument({ language, look: 'busy', title: t.noHttpsTitle, lead: html`${t.noHttps}`, main: html`` })
  if (ca === null)
    return plainDocument({ language, look: 'good', title: t.nothingTitle, lead: html`${t.nothing}`, main: html`` })
  const steps = t.systems.map(
    ([system, lines]): Html =>
      html`<details><summary>${system}</summary><ol>${lines.map((line) => html`<li>${line}</li>`)}</ol></details>\n`,
  )
  const main = html`<p>${t.compare}</p>
<section><h2>${t.fingerprint}</h2><p class="place">${ca.fingerprint}</p></section>
<p><a class="button" href="/trust/ca.crt" download="ca.crt">${t.download}</a></p>
${steps}<p>${t.after}</p>
<section><h2>${t.only}</h2><p>${ca.names.join(', ')}</p></section>
`
  return plainDocument({ language, look: 'busy', title: t.title, lead: html`${t.lead}`, main })
}

/** In DER, which every system takes. */
export const certificateBytes = ({ pem }: LocalCa): Buffer => new X509Certificate(pem).raw
