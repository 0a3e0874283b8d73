import { type Html, html } from './html.ts'
import { named } from './named.ts'
import type { View } from './view.ts'

/** The choices of how long it takes to get there, in minutes. The last one is for everything longer. */
const MINUTES = [10, 30, 60, 120] as const

/**
 * The answers that a contact can give while the incident is open. After an answer, the choices are collapsed. The path
 * says whether the contact helps, the query how: whatever an old browser does with the query, help stays help.
 */
export function answers(view: View): Html | null {
  const { page, texts } = view
  if (page.closedAt !== null) return null
  if (page.canAcknowledge && page.answer?.kind !== 'unable') return html`<div id="answers">${choices(view)}</div>\n`
  return html`<details id="answers"><summary>${texts.changeAnswer}</summary>${choices(view)}</details>\n`
}

function choices({ page, texts, path }: View): Html {
  const { isAskedAgain, canAcknowledge, who, isSilent } = page
  const isAsked = isAskedAgain && canAcknowledge
  const still = isAsked ? html`<button type="submit" id="still">${texts.buttonStill}</button>\n` : null
  const what = isAsked
    ? html`${texts.whatHappensStill}`
    : named([who], isSilent ? texts.whatHappensSilent : texts.whatHappens).html
  const calling = isSilent
    ? null
    : html`<button type="submit" id="calling" formaction="${path}/ack?calling">${named([who], texts.calling).html}</button>`
  return html`<form method="post" action="${path}/ack">${still}<fieldset><legend>${texts.comingIn}</legend><div class="times">
${MINUTES.map((minutes) => coming(minutes, texts, path))}</div></fieldset>
${calling}</form>
<form method="post" action="${path}/decline"><button type="submit" id="unable">${texts.unable}</button></form>
<p class="quiet">${what}</p>`
}

function coming(minutes: (typeof MINUTES)[number], texts: View['texts'], path: string): Html {
  const time = minutes < 60 ? `${minutes}\u00a0min` : '1\u00a0h'
  const shown = minutes === 120 ? texts.moreThan(time) : time
  return html`<button type="submit" id="coming-${minutes}" formaction="${path}/ack?coming=${minutes}" aria-label="${texts.comingAfter(shown)}">${shown}</button>
`
}
