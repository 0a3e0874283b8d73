import { cardRows, cardWords } from '../../../../core/account/card-words.ts'
import { filled } from '../../../../core/text/phrases.ts'
import { changesFromPhone } from './contacts-changed.ts'
import { type Html, html } from './html.ts'
import { named } from './named.ts'
import type { View } from './view.ts'

/** The part of the person's card for this helper. rules.md#card. */
function personCard({ page, texts: { language } }: View): Html | null {
  if (page.card === null) return null
  const rows = cardRows(language, page.card)
  if (rows.length === 0) return null
  const title = named([page.who], (who) => filled(cardWords[language].title, { who }))
  return html`<section id="card"><h2>${title.html}</h2>
<dl>${rows.map(({ label, text }) => html`<dt>${label}</dt><dd class="written"><bdi>${text}</bdi></dd>\n`)}</dl></section>
`
}

/** The fields that this contact sees, and others may not. */
export const forThisContact = (view: View): Html => html`${personCard(view)}${changesFromPhone(view)}`
