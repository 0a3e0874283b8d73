import { Html, html } from './html.ts'
import type { Named } from './named.ts'
import { fallbackScript, liveScript } from './script.ts'
import { style } from './style.ts'
import { talkForm } from './talk.ts'
import type { TrackingTexts } from './texts/texts.ts'

/** Interval at which the page of an open incident reloads itself without a script. */
export const REFRESH_SECONDS = 30
type Look = 'alarm' | 'busy' | 'good' | 'over'
export type Heading = { readonly look: Look; readonly title: Named; readonly lead: Html }

/** The parts of a page that an open one replaces when they change. */
export type Content = { readonly title: string; readonly look: Look; readonly header: string; readonly main: string }

type Live = {
  readonly version: string
  readonly now: number
  readonly texts: TrackingTexts
  /** The person's name, and the address of the page. */
  readonly who: string
  readonly path: string
}

/** A whole document. `live`: while the incident is open, the version of the page that it shows, and its words. */
export function documentOf(
  { language }: Pick<TrackingTexts, 'language'>,
  { title, look, header, main }: Content,
  live: Live | null = null,
): string {
  const refresh = live && html`<noscript><meta http-equiv="refresh" content="${REFRESH_SECONDS}"></noscript>\n`
  const state = live && html` data-version="${live.version}" data-now="${live.now}"`
  const said = live && saidBy(live.texts)
  const scripts = live && html`<script>${new Html(fallbackScript)}</script>\n<script>${new Html(liveScript)}</script>\n`
  return html`<!doctype html>
<html lang="${language}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="robots" content="noindex,nofollow">
<meta name="referrer" content="no-referrer">
<meta name="format-detection" content="telephone=no">
${refresh}<title>${title}</title>
<style>${new Html(style)}</style>
</head>
<body${state}${said}>
<header class="${look}"><div aria-live="polite">${new Html(header)}</div></header>
<p id="line" class="line" role="status" hidden></p>
<main>
${new Html(main)}</main>
${live && talkForm(live)}${scripts}</body>
</html>
`.text
}

/** Texts of the script while it sends an answer, or cannot. */
const saidBy = ({ sending, notSent, cutOff, talkSaying, talkNotSaid }: TrackingTexts): Html =>
  html` data-sending="${sending}" data-not-sent="${notSent}" data-cut-off="${cutOff}" data-saying="${talkSaying}" data-not-said="${talkNotSaid}"`

export const contentOf = ({ look, title, lead }: Heading, main: Html, below: Html | null = null): Content => ({
  title: title.text,
  look,
  header: html`<h1>${title.html}</h1><p>${lead}</p>${below}`.text,
  main: main.text,
})

/** A page without a script: its words, and its actions. `lead` and `main` are markup. */
export function plainDocument(page: {
  readonly language: TrackingTexts['language']
  readonly look: Look
  readonly title: string
  readonly lead: Html
  readonly main: Html
}): string {
  const { language, look, title, lead, main } = page
  const header = html`<h1>${title}</h1><p>${lead}</p>`.text
  return documentOf({ language }, { title, look, header, main: main.text })
}
