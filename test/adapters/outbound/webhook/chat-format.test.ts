import assert from 'node:assert/strict'
import { test } from 'node:test'
import { chatPost } from '../../../../src/adapters/outbound/webhook/chat-format.ts'
import { chatFormats } from '../../../../src/core/account/actuator.ts'
import fc from '../../../harness/fast-check.ts'

const url = 'https://chat.example.org/hooks/a_b?key=c'
const map = 'https://maps.google.com/?q=47.07000,12.69000'
const text = `SOS: Mia needs help!\nLocation 3 minutes ago: ${map}`

test('text is one JSON object with the text, including line breaks', () => {
  assert.deepEqual(chatPost('text', url, text), { url, body: { text } })
})

test('slack gets plain text without mark-up, name links or previews', () => {
  assert.deepEqual(chatPost('slack', url, text), {
    url,
    body: { text, mrkdwn: false, link_names: false, unfurl_links: false },
  })
})

test('mattermost gets text', () => assert.deepEqual(chatPost('mattermost', url, text), { url, body: { text } }))

test('googlechat gets text', () => assert.deepEqual(chatPost('googlechat', url, text), { url, body: { text } }))

test('discord waits until the message exists, and may mention no one', () => {
  assert.deepEqual(chatPost('discord', url, text), {
    url: `${url}&wait=true`,
    body: { content: text, allowed_mentions: { parse: [] } },
  })
  assert.equal(chatPost('discord', `${url}&wait=false`, text).url, `${url}&wait=true`)
})

test('teams gets an adaptive card with one block per line and a URL to tap', () => {
  const { url: target, body } = chatPost('teams', url, text)
  assert.equal(target, url)
  const { type, attachments } = body as { type: string; attachments: any[] }
  assert.equal(type, 'message')
  assert.equal(attachments.length, 1)
  assert.equal(attachments[0].contentType, 'application/vnd.microsoft.card.adaptive')
  const { content } = attachments[0]
  assert.equal(content.type, 'AdaptiveCard')
  assert.deepEqual(content.body, [
    { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: 'SOS: Mia needs help!' }] },
    {
      type: 'RichTextBlock',
      inlines: [
        { type: 'TextRun', text: 'Location 3 minutes ago: ' },
        { type: 'TextRun', text: map, selectAction: { type: 'Action.OpenUrl', url: map } },
      ],
    },
  ])
})

const escapes = [
  { format: 'text', name: '@all <!channel>', is: '@\u200ball <\u200b!channel>' },
  { format: 'slack', name: '<!channel> & <@U1>', is: '&lt;\u200b!channel&gt; &amp; &lt;\u200b@\u200bU1&gt;' },
  {
    format: 'mattermost',
    name: '@all *b* _i_ [x](y) `c` ~s~',
    is: '@\u200ball \\*b\\* \\_i\\_ \\[x\\](y) \\`c\\` \\~s\\~',
  },
  { format: 'mattermost', name: '<!here>', is: '<\u200b!here\\>' },
  { format: 'discord', name: '||spoiler|| # \\', is: '\\|\\|spoiler\\|\\| \\# \\\\' },
  { format: 'googlechat', name: '<users/all> *b*', is: '\u2039users/all\u203a \u2217b\u2217' },
] as const
for (const { format, name, is } of escapes) {
  test(`${format} shows ${name} as it is written`, () => {
    const { body } = chatPost(format, url, `SOS: ${name} needs help! ${map}`)
    const shown = body as { text?: string; content?: string }
    assert.equal(shown.text ?? shown.content, `SOS: ${is} needs help! ${map}`)
  })
}

/** What each service would act on if it were in the text as sent. */
const live = {
  text: /@\w|<[!@#]/,
  slack: /[<>]|@\w/,
  mattermost: /@\w|<[!@#]|(?<!\\)(\\\\)*[`*_~|[\]]/,
  discord: /@\w|<[!@#:]|(?<!\\)(\\\\)*[`*_~|[\]]/,
  googlechat: /[<>*_~`]/,
} as const

test('no text becomes a mention or mark-up in any format', () => {
  const hostile = fc
    .array(
      fc.constantFrom(
        ...'@<>!#*_~`|[]()\\&: a'.split(''),
        'all',
        'channel',
        'everyone',
        '<!here>',
        '\n',
        'https://',
        'users/',
      ),
    )
    .map((bits) => bits.join(''))
  fc.assert(
    fc.property(fc.constantFrom(...chatFormats), hostile, (format, name) => {
      const { body } = chatPost(format, url, `SOS: ${name} needs help!`)
      if (format === 'teams') return
      const shown = body as { text?: string; content?: string }
      const sent = (shown.text ?? shown.content)!
      const outside = sent.replace(/https?:\/\/[\w.:/?=,%-]*[\w/]/g, '')
      assert.doesNotMatch(outside, live[format])
    }),
    { numRuns: 1_000 },
  )
})

test('teams shows every character, and only URLs can be tapped', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (name) => {
      const { body } = chatPost('teams', url, `${name}\n${map}`)
      const lines = (body as any).attachments[0].content.body
      const shown = lines.map((line: any) => line.inlines.map((run: any) => run.text).join('')).join('\n')
      assert.equal(shown, `${name}\n${map}`)
    }),
  )
})
