import { MAX_TALK_CHARACTERS } from '../../../../core/incident/talk-schema.ts'
import { MAX_NAME_LENGTH, neutralName, shortened } from '../../../../core/text/person-name.ts'
import { lineText } from '../../../../core/text/quick-replies.ts'
import { type Html, html } from './html.ts'
import { moment } from './moment.ts'
import { type Named, named, unnamed } from './named.ts'
import type { TrackingTexts } from './texts/texts.ts'
import type { View } from './view.ts'

type Line = NonNullable<View['page']['talk']>['lines'][number]

/**
 * The talk with the person, for contacts who help. The field stands below the rest of the page, where the script shows
 * it: text being typed must outlast a newer page. Without a script it is a page of its own. rules.md#talk.
 */
export function talk(view: View): Html | null {
  const { page, texts, path } = view
  const { talk, who, isSilent, closedAt } = page
  if (talk === null || closedAt !== null || (talk.lines.length === 0 && !talk.mayWrite)) return null
  const silent =
    isSilent && talk.mayWrite ? html`<p><strong>${named([who], texts.talkSilent).html}</strong></p>\n` : null
  const write = named([who], texts.talkWrite).html
  const field = html`<p class="js" hidden><a href="#say">${write}</a></p><noscript><p><a href="${path}/messages">${write}</a></p></noscript>`
  return html`<section id="talk"${talk.mayWrite ? html` data-write` : null}><h2>${named([who], texts.talkTitle).html}</h2>
${silent}<ol class="talk">${talk.lines.map((line) => lineOf(line, view))}</ol>
${talk.mayWrite ? field : null}</section>
`
}

function lineOf(line: Line, { page, texts, reading }: View): Html {
  const from = sourceOf(line, page.who, texts).html
  const sms = line.channel === 'sms' ? html`, ${texts.talkBySms}` : null
  const doubt = line.isUnconfirmed ? html`<p class="doubt">${texts.talkUnconfirmed}</p>` : null
  return html`<li><small>${from}${sms}, ${moment(reading, line.at)}</small><p dir="auto">${lineText(line, texts.language)}</p>${doubt}</li>
`
}

function sourceOf({ side, isOwn, name }: Line, who: string, texts: TrackingTexts): Named {
  const shown = shortened(neutralName(name), MAX_NAME_LENGTH)
  switch (side) {
    case 'person':
      return named([who], texts.talkFromPerson)
    case 'operator':
      return named([shown || texts.theOperator], texts.talkFromDesk)
    case 'contact':
      if (isOwn) return unnamed(texts.talkFromYou)
      return shown === '' ? unnamed(texts.talkFromAnother) : named([shown], texts.talkFromContact)
    default:
      return side satisfies never
  }
}

/** The field. `key`: of the line that it will be; without one, the script makes it. */
export const talkForm = (
  { who, path, texts }: { readonly who: string; readonly path: string; readonly texts: TrackingTexts },
  key: string | null = null,
): Html => html`<form id="say" aria-labelledby="say-label" method="post" action="${path}/messages"${key === null ? html` hidden` : null}>${key === null ? null : html`<input type="hidden" name="key" value="${key}">`}<label id="say-label" for="say-text">${named([who], texts.talkWrite).html}</label>
<textarea id="say-text" name="text" rows="2" maxlength="${MAX_TALK_CHARACTERS}" required></textarea>
<button type="submit" id="say-it">${texts.talkSend}</button>
<p class="quiet">${named([who], texts.talkMayRead).html}</p></form>
`
