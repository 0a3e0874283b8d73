import type { ChatFormat } from '../../../core/account/actuator.ts'

/** The request to a chat service: the URL (some need a parameter) and the JSON body. */
export type ChatPost = { readonly url: string; readonly body: unknown }

/**
 * Formats a message for a chat service. Only the URLs in `text` stay live: everything else in it (such as a user's
 * name) is escaped so that it can neither mention anyone nor become markup (rules.md#chat).
 */
export function chatPost(format: ChatFormat, url: string, text: string): ChatPost {
  switch (format) {
    // Accepted by most other services, too: a JSON object with a text.
    case 'text':
      return { url, body: { text: escaped(text, withoutMentions) } }
    case 'slack':
      return { url, body: { text: escaped(text, slackText), mrkdwn: false, link_names: false, unfurl_links: false } }
    case 'mattermost':
      return { url, body: { text: escaped(text, markdownText) } }
    case 'discord':
      return {
        // Otherwise Discord responds before it knows whether the message can be posted.
        url: withParameter(url, 'wait', 'true'),
        body: { content: escaped(text, markdownText), allowed_mentions: { parse: [] } },
      }
    case 'teams':
      return { url, body: teamsMessage(text) }
    case 'googlechat':
      return { url, body: { text: escaped(text, googleChatText) } }
    default:
      return format satisfies never
  }
}

/** URLs as in our own texts, without any character that has a meaning to a chat service. */
const ADDRESS = /(https?:\/\/[\w.:/?=,%-]*[\w/])/

/** Applies `harmless` to all of `text` except its URLs. */
const escaped = (text: string, harmless: (part: string) => string): string =>
  text
    .split(ADDRESS)
    .map((part, place) => (place % 2 === 1 ? part : harmless(part)))
    .join('')

const ZERO_WIDTH_SPACE = '\u200b'

/** Inserts an invisible character into `@all` and `<!channel>`, so that every service reads them as plain text. */
const withoutMentions = (part: string): string => part.replace(/[@<]/g, `$&${ZERO_WIDTH_SPACE}`)

/** Slack's three control characters as entities: mentions, channels and links all begin with `<`. */
const slackText = (part: string): string =>
  withoutMentions(part).replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** Escapes Markdown's inline marks. Mattermost also reads Slack's `<!channel>`, so mentions are defused first. */
const markdownText = (part: string): string => withoutMentions(part).replace(/[\\`*_~|[\]#>]/g, '\\$&')

/** Google Chat cannot escape its marks, so look-alike characters replace them. */
const lookalikes: Readonly<Record<string, string>> = {
  '*': '\u2217',
  _: '\uff3f',
  '~': '\u223c',
  '`': '\u02cb',
  '<': '\u2039',
  '>': '\u203a',
}
const googleChatText = (part: string): string => part.replace(/[*_~`<>]/g, (mark) => lookalikes[mark]!)

/** An adaptive card of text runs, which ignore Markdown. The URLs are runs that open when tapped. */
const teamsMessage = (text: string) => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: {
        $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
        type: 'AdaptiveCard',
        version: '1.4',
        body: text.split('\n').map((line) => ({ type: 'RichTextBlock', inlines: textRuns(line) })),
      },
    },
  ],
})

const textRuns = (line: string) =>
  line
    .split(ADDRESS)
    .map((text, place) => ({ text, isAddress: place % 2 === 1 }))
    .filter(({ text }) => text !== '')
    .map(({ text, isAddress }) => ({
      type: 'TextRun',
      text,
      ...(isAddress && { selectAction: { type: 'Action.OpenUrl', url: text } }),
    }))

function withParameter(url: string, name: string, value: string): string {
  const extended = new URL(url)
  extended.searchParams.set(name, value)
  return extended.href
}
