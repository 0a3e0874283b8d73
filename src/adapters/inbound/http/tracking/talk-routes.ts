import { randomUUID } from 'node:crypto'
import type { FastifyPluginCallback, FastifyRequest } from 'fastify'
import type { contactTalk } from '../../../../app/answers/contact-talk.ts'
import type { TrackingPage } from '../../../../app/answers/tracking-page.ts'
import { talkKeyField, talkTextField } from '../../../../core/incident/talk-schema.ts'
import { acceptAnyBody, bodyBytes } from '../bodies/json-body.ts'
import { secondsUntil } from '../refusals.ts'
import { contentOf, documentOf } from './document.ts'
import { html } from './html.ts'
import { languagesOf, textsFor } from './language.ts'
import { linkPath, TOKEN } from './link.ts'
import { linkReplies } from './link-replies.ts'
import type { LivePageNeeds } from './live-pages.ts'
import { named } from './named.ts'
import { shownName } from './page.ts'
import { pageHeaders } from './style.ts'
import { talkForm } from './talk.ts'
import type { TrackingTexts } from './texts/texts.ts'

type TokenRequest = FastifyRequest<{ Params: { token: string } }>

/** 500 characters of any kind in a form, and its key. */
const FORM_BYTES = 8 * 1024

export type TalkPageNeeds = Pick<LivePageNeeds, 'tracking' | 'log'> & {
  /** Loaded with the first use. Absent: there is no talk. */
  readonly contactTalk?: () => Promise<Pick<ReturnType<typeof contactTalk>, 'say'>>
}

/** The line in a form; null if it is none that can be stored. */
function saidIn(bytes: Buffer): { readonly key: string; readonly text: string } | null {
  const form = new URLSearchParams(bytes.toString('utf8'))
  const [key, text] = [talkKeyField.safeParse(form.get('key')), talkTextField.safeParse(form.get('text'))]
  return key.success && text.success ? { key: key.data, text: text.data } : null
}

/** The field on a page of its own, for browsers without a script: nothing reloads it while somebody types. */
function writingDocument(page: TrackingPage, texts: TrackingTexts, path: string): string {
  const who = shownName(page, texts)
  const back = html`<p><a href="${path}">${texts.toPage}</a></p>\n`
  const form = html`${talkForm({ who, path, texts }, randomUUID())}${back}`
  const title = named([who], texts.talkTitle)
  return documentOf(texts, contentOf({ look: 'over', title, lead: html`` }, form))
}

/**
 * Messages of a contact to the person (rules.md#talk). As on the page itself, only the token identifies the sender. Not
 * a part of the alarm, so each link has few requests a minute.
 */
export const talkPageRoutes =
  ({ tracking, contactTalk, log }: TalkPageNeeds): FastifyPluginCallback =>
  (app, _options, done) => {
    const { limited, wait, refuse, back } = linkReplies(app, { log })
    acceptAnyBody(app)

    app.get('/t/:token/messages', limited, async (request: TokenRequest, reply) => {
      const { token } = request.params
      const page = TOKEN.test(token) ? await tracking.page(token) : ({ refused: 'unknown_link' } as const)
      if ('refused' in page) return refuse(request, reply, page.refused)
      if (page.talk?.mayWrite !== true) return back(reply, token)
      const texts = textsFor([page.contact.language, ...languagesOf(request.headers['accept-language'])])
      return reply.headers(pageHeaders).send(writingDocument(page, texts, linkPath(token)))
    })

    app.post('/t/:token/messages', { ...limited, bodyLimit: FORM_BYTES }, async (request: TokenRequest, reply) => {
      const { token } = request.params
      const said = saidIn(bodyBytes(request))
      const talk = TOKEN.test(token) ? await contactTalk?.() : undefined
      if (talk === undefined) return refuse(request, reply, 'unknown_link')
      if (said === null) {
        const page = await tracking.page(token)
        // Nothing that a reader could see: the page shows that it is not there.
        return 'refused' in page ? refuse(request, reply, page.refused) : back(reply, token)
      }
      const done = await talk.say(token, said)
      if (!('refused' in done)) return back(reply, token)
      switch (done.refused) {
        case 'unknown_link':
        case 'link_expired':
          return refuse(request, reply, done.refused)
        case 'too_many_messages':
          return wait(request, reply, secondsUntil(done.retryAfterMs))
        case 'incident_not_found':
        case 'incident_closed':
        case 'no_talk':
        case 'not_a_reader':
        case 'person_first':
          // The page says how things stand.
          return back(reply, token)
        default:
          return done satisfies never
      }
    })
    done()
  }
