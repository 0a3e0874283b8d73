import type { VerificationPage } from '../../../../app/user/verify-contacts.ts'
import { MAX_NAME_LENGTH, neutralName, shortened } from '../../../../core/text/person-name.ts'
import { plainDocument } from '../tracking/document.ts'
import { type Html, html } from '../tracking/html.ts'
import type { VerificationTexts } from './texts.ts'

/** The page that asks a contact, or shows their answer. `path`: its own address. */
export function verificationDocument(page: VerificationPage, texts: VerificationTexts, path: string): string {
  const who = shortened(neutralName(page.who) || texts.somebody, MAX_NAME_LENGTH)
  const app = shortened(neutralName(page.app) || 'Tocsin', MAX_NAME_LENGTH)
  const choices = html`<form method="post" action="${path}/confirm"><button type="submit" id="agree">${texts.agree}</button></form>
<form method="post" action="${path}/decline"><button type="submit" id="stranger">${texts.stranger}</button></form>
<p class="quiet">${texts.consent}</p>`
  const folded = html`<details><summary>${texts.change}</summary>${choices}</details>\n`
  const { language } = texts
  switch (page.answer) {
    case 'confirmed': {
      const lead = html`${texts.confirmed(who)}`
      return plainDocument({ language, look: 'good', title: texts.confirmedTitle, lead, main: folded })
    }
    case 'declined': {
      const lead = html`${texts.declined}`
      return plainDocument({ language, look: 'over', title: texts.declinedTitle, lead, main: folded })
    }
    case null: {
      const lead = html`${texts.what(who, app)}`
      return plainDocument({ language, look: 'busy', title: texts.title(who), lead, main: choices })
    }
    default:
      return page.answer satisfies never
  }
}

/** A page without names: the link is unknown or has expired, or something failed. */
export function verificationNotice(notice: 'unknown' | 'expired' | 'failed', texts: VerificationTexts): string {
  const main: Html = html``
  const { language } = texts
  return plainDocument({ language, look: 'over', title: texts[`${notice}Title`], lead: html`${texts[notice]}`, main })
}
