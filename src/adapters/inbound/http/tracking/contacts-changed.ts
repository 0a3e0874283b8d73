import { MAX_NAME_LENGTH, neutralName, shortened } from '../../../../core/text/person-name.ts'
import { type Html, html } from './html.ts'
import { named } from './named.ts'
import type { View } from './view.ts'

/** For the contacts of the opening: somebody else may hold the phone. They decide who else sees the position. */
const accountChanged = ({ page, texts }: View): Html | null =>
  page.accountChangedOf === null
    ? null
    : html`<section><p><strong>${named([page.accountChangedOf], texts.accountChanged).html}</strong></p></section>
`

export const changesFromPhone = (view: View): Html => html`${accountChanged(view)}${contactsChanged(view)}`

function contactsChanged({ page, texts, path }: View): Html | null {
  if (!page.contactsChanged) return null
  const forms = page.toBeShown.map(({ contactId, name }) => {
    const shown = shortened(neutralName(name) || texts.somebody, MAX_NAME_LENGTH)
    return html`<form method="post" action="${path}/show-position/${contactId}"><button type="submit" id="show-${contactId}">${named([shown], texts.letSee).html}</button></form>\n`
  })
  return html`<section><p><strong>${named([page.who], texts.contactsChanged).html}</strong></p>
${forms}</section>
`
}
