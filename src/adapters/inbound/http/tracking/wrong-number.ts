import { type Html, html } from './html.ts'
import { named } from './named.ts'
import type { View } from './view.ts'

/** For somebody who does not know the person, and for one who has stopped messages. sms.md#wrong-number. */
export function wrongNumber({ page, texts, path }: View): Html | null {
  if (page.closedAt !== null) return null
  if (page.stopped === null) {
    return html`<form method="post" action="${path}/stranger"><button type="submit" id="stranger">${texts.dontKnow}</button></form>
`
  }
  return html`<p class="quiet">${named([page.who], texts.stopped).html}</p>
<form method="post" action="${path}/start"><button type="submit" id="start">${texts.startAgain}</button></form>
`
}

/** The whole page of a wrong number: how to take it back. */
export const takenBack = ({ page, texts, path }: View): Html =>
  page.closedAt === null
    ? html`<form method="post" action="${path}/start"><button type="submit" id="start">${texts.mistake}</button></form>
`
    : html``
