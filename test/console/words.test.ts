import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { suite, test } from 'node:test'
import { auditGroupOf, auditGroups } from '../../console/logic/audit-groups.ts'
import { fieldProblemText } from '../../console/logic/field-problem.ts'
import { healthKind } from '../../console/logic/health-kind.ts'
import { failureText, remarkText } from '../../console/logic/service-words.ts'
import { providerKeys } from '../../console/logic/setup-values.ts'
import { valueProblem } from '../../console/logic/value-problem.ts'
import { administration as deOfAdministration } from '../../console/texts/administration/de.ts'
import {
  type AdministrationTexts,
  administration as enOfAdministration,
} from '../../console/texts/administration/en.ts'
import { administration as esOfAdministration } from '../../console/texts/administration/es.ts'
import { administration as frOfAdministration } from '../../console/texts/administration/fr.ts'
import { administration as itOfAdministration } from '../../console/texts/administration/it.ts'
import { de as deOfBoard } from '../../console/texts/de.ts'
import { en as enOfBoard, type Texts } from '../../console/texts/en.ts'
import { es as esOfBoard } from '../../console/texts/es.ts'
import { fr as frOfBoard } from '../../console/texts/fr.ts'
import { it as itOfBoard } from '../../console/texts/it.ts'
import { ownPushWords } from '../../console/texts/own-push.ts'
import { passkeyWords } from '../../console/texts/passkeys.ts'
import { caseSchema } from '../../src/adapters/inbound/http/operator/incidents/case.ts'
import { boardItemSchema } from '../../src/adapters/inbound/http/operator/incidents/item.ts'
import { operatorRefusals } from '../../src/adapters/inbound/http/refusals.ts'
import { subjects } from '../../src/app/doctor/subjects.ts'
import { onlyInFile } from '../../src/config/only-in-file.ts'
import { settableKeys } from '../../src/config/settable.ts'
import { channels, deliveryStatuses, type Purpose } from '../../src/core/incident/delivery.ts'
import { incidentStatuses } from '../../src/core/incident/incident.ts'
import { auditActions } from '../../src/core/operator/audit.ts'

type AllTexts = Texts & AdministrationTexts
const en: AllTexts = { ...enOfBoard, ...enOfAdministration }
const de: AllTexts = { ...deOfBoard, ...deOfAdministration }
const fr: AllTexts = { ...frOfBoard, ...frOfAdministration }
const it: AllTexts = { ...itOfBoard, ...itOfAdministration }
const es: AllTexts = { ...esOfBoard, ...esOfAdministration }
const others = Object.entries({ de, fr, it, es }) as readonly (readonly [keyof typeof passkeyWords, AllTexts])[]
const read = (path: string): string => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

/** Words that are the same in another language, or names. */
const SHARED = new Set(
  'Tocsin Passkey SMS Chat Webhook Traccar\u00a0Client Token Topic Link Browser Format System Name Person Text Version Bytes Live Code Twilio Account\u00a0SID Auth\u00a0Token Messaging\u00a0Service\u00a0SID ChirpStack\u00a0v4 The\u00a0Things\u00a0Stack\u00a0v3'
    .split(' ')
    .map((word) => word.replaceAll('\u00a0', ' ')),
)
const OF_LANGUAGE: Readonly<Record<string, readonly string[]>> = {
  de: ['Problem', 'Code', 'Filter', '1 in 2'],
  fr: [
    'minutes',
    'Messages',
    'Actions',
    'Position 1',
    'altitude 1\u00a0m',
    'Position',
    'Contacts',
    'Message',
    'Note',
    'Notes',
  ].concat(['Application', 'Applications', 'Contact', 'Places', 'code', 'Service', 'Active', 'E-mail']),
  it: ['Password', 'password', 'passkey', 'no', 'E-mail'],
  es: ['General', 'no'],
}

const HTTP = 'src/adapters/inbound/http'

/** The names of the refusals of the operator API: those of each noun, and those that several share. */
function refusalsOfOperators(): readonly string[] {
  const own = refusalsIn([`${HTTP}/admission/operators.ts`, ...nounFiles(/\.ts$/)])
  return [...Object.keys(operatorRefusals), ...own]
}

const nounFiles = (names: RegExp): readonly string[] =>
  readdirSync(new URL(`../../${HTTP}/operator`, import.meta.url), { recursive: true, encoding: 'utf8' })
    .filter((file) => names.test(file))
    .map((file) => `${HTTP}/operator/${file}`)

function refusalsIn(files: readonly string[]): readonly string[] {
  const sources = files.map(read).filter((source) => source.includes(' satisfies Refusals'))
  return sources.flatMap((source) => {
    const [, table = ''] = /efusals = \{\n(.*?)\n\} as const satisfies Refusals/s.exec(source) ?? []
    const names = [...table.matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name!)
    assert.ok(names.length > 0, source)
    return names
  })
}

/** Each text by its path, and of those with gaps what they say with numbers in them. */
function* saidBy(texts: object, path = ''): Generator<readonly [path: string, said: string]> {
  for (const [key, value] of Object.entries(texts)) {
    if (typeof value === 'object' && value !== null) yield* saidBy(value, `${path}${key}.`)
    else yield [path + key, typeof value === 'function' ? String(value('1', '2', '3')) : String(value)]
  }
}

suite('the words of the console', () => {
  test('are in each language, and English in none but English', () => {
    const english = [...saidBy(en)]
    for (const [language, texts] of others) {
      const said = new Map(saidBy(texts))
      assert.deepEqual(
        english.filter(([path]) => !said.has(path)),
        [],
        `${language} lacks them`,
      )
      const same = english.filter(([path, text]) => said.get(path) === text && /[a-z]{2}/i.test(text))
      const left = same.filter(([, text]) => !SHARED.has(text) && !OF_LANGUAGE[language]!.includes(text))
      assert.deepEqual(
        left.filter(([, text]) => !/^(min|OwnTracks|1 SMS)$/.test(text)),
        [],
        `${language} says them in English`,
      )
    }
  })

  test('have no line in French that begins with a sign', () => {
    const loose = [...saidBy({ fr, passkeys: passkeyWords.fr, push: ownPushWords.fr })]
    assert.deepEqual(
      loose.filter(([, text]) => / [:;?!»]|« /.test(text)),
      [],
    )
  })

  test('call no two views the same', () => {
    for (const [language, { views }] of [['en', en] as const, ...others])
      assert.equal(new Set(Object.values(views)).size, Object.keys(views).length, language)
  })

  const entry = caseSchema.shape.timeline.unwrap().element.shape
  const closing = boardItemSchema.shape.closing.unwrap().shape
  /** Every value that the API may answer, and where its words are. Without them the view shows the value itself. */
  const values: readonly (readonly [string, readonly string[], (texts: AllTexts) => object])[] = [
    ['channels', channels, (t) => t.channels],
    ['states of a message', deliveryStatuses, (t) => t.statuses],
    ['states of an incident', incidentStatuses, (t) => t.statuses],
    ['ends', ['cancelled', 'resolved'], (t) => t.closing],
    ['who ended it', closing.by.unwrap().options, (t) => t.closedBy],
    ['entries of the timeline', entry.kind.options, (t) => t.timeline.kinds],
    ['answers', entry.answer.unwrap().options.filter((answer) => answer !== 'coming'), (t) => t.responses],
    ['what follows', caseSchema.shape.next.unwrap().element.shape.what.options.slice(1), (t) => t.next.what],
    [
      'purposes',
      ['reopened', 'acknowledged', 'unanswered', 'check_in', 'last_call', 'all_clear'] satisfies readonly Purpose[],
      (t) => t.timeline.purposes,
    ],
    ['actions of the audit log', auditActions, (t) => t.audited.actions],
    ['probes of the doctor', Object.keys(subjects), (t) => t.doctor.probes],
  ]
  for (const [name, known, wordsOf] of values) {
    test(`there is a word for each of the ${name}`, () => {
      for (const [language, texts] of [['en', en] as const, ...others]) {
        const words = wordsOf(texts)
        assert.deepEqual(
          known.filter((value) => !Object.hasOwn(words, value)),
          [],
          language,
        )
      }
    })
  }

  test('put each action of the audit log into one group, by which it is filtered', () => {
    for (const action of auditActions) {
      const groups = Object.values(auditGroups).filter((group) => group.some((one) => action.startsWith(one)))
      assert.equal(groups.length, 1, action)
    }
    assert.ok(Object.values(auditGroups).every((group) => group.join(',').length <= 300))
    assert.equal(auditGroupOf('later.version'), null)
  })

  test('there is one for each failure text of the rules, whatever code it ends with', () => {
    const rules = read('docs/reference/rules.md')
    const [, section = ''] = /## Failure texts\n([\s\S]*?)\nWhat each one means/.exec(rules) ?? []
    const failures = [...section.matchAll(/`([^`]+)`/g)].map(([, text]) => text!.replace(/ N$/, ' 502'))
    assert.equal(failures.length, 33)
    for (const [language, texts] of others) {
      const english = failures.filter((text) => failureText(text, texts) === text)
      assert.deepEqual(english, [], language)
    }
    assert.equal(failureText('provider error 30008', de), 'Fehler beim Anbieter 30008')
    assert.equal(failureText('what nobody knows', de), 'what nobody knows')
    assert.equal(failureText('constructor', de), 'constructor')
  })

  test('there is one for what is known of where a LoRaWAN press came from', () => {
    const moment = (at: string): string => at.slice(11, 16)
    const heard = 'is missing: no fix; heard by gateway hut-roof (47.26921, 11.40404; -97 dBm)'
    assert.match(remarkText(heard, de, moment), /^kein GPS-Standort; .* hut-roof \(47.26921, 11.40404; -97 dBm\)$/)
    const earlier = 'is of 2026-03-01T02:00:00.000Z, not of the moment of the press'
    assert.match(remarkText(earlier, fr, moment), /02:00/)
    for (const [, texts] of others) assert.doesNotMatch(remarkText(heard, texts, moment), /heard|no fix/)
    for (const text of ['must be a number', 'is of late, not of the moment of the press'])
      assert.equal(remarkText(text, de, moment), text)
    // As the service words them.
    assert.match(read('src/app/field/take-uplink.ts'), /`is missing: no fix; heard by gateway \$/)
    assert.match(
      read('src/core/field/lorawan/map-uplink.ts'),
      /`is of \$\{isoAt\(.*\)\}, not of the moment of the press`/,
    )
  })

  test('there is one for each key of the setup, and for what the service says of its values', () => {
    const keys = settableKeys()
    for (const [language, { site }] of [['en', en] as const, ...others]) {
      const wordless = keys.filter((key) => !Object.hasOwn(site.labels, key))
      assert.deepEqual(wordless, [], language)
      assert.deepEqual(Object.keys(site.onlyInFile.why), [...new Set(onlyInFile.map(({ why }) => why))], language)
      assert.deepEqual(
        Object.keys(providerKeys).filter((provider) => !Object.hasOwn(site.messages.names, provider)),
        [],
      )
      assert.deepEqual(Object.keys(site.problems), Object.keys(en.site.problems), language)
    }
    // As the service words them.
    const sources = [
      'config/acme.ts',
      'config/fields.ts',
      'config/schema.ts',
      'config/companions.ts',
      'config/lorawan.ts',
      'config/smtp.ts',
    ]
      .concat([
        'core/account/application.ts',
        'service/site-setup.ts',
        'service/certificate-setup.ts',
        'service/gateway-hosts.ts',
        'service/setup-map.ts',
        'service/setup-profiles.ts',
        'adapters/platform/tls/pasted-pair.ts',
      ])
      .map((path) => read(`src/${path}`))
      .join('\n')
    const unsaid = Object.keys(en.site.problems).filter(
      (message) => !sources.includes(message) && !message.startsWith('is required with the provider twilio, or'),
    )
    assert.deepEqual(unsaid, [])
    for (const message of [
      'must be a whole number from 15 to 300',
      'must be a number above 0, up to 600',
      'must have at least 16 characters',
      'is not a profile; the profiles are tocsin-12, dragino-trackerd',
      'goes with gateway.headers: set it where that is set, in the file or the environment',
      'is set by TOCSIN_TWILIO_FROM, which wins: change it there',
      'has to keep the host of smtp.url: change that first',
      'cannot listen on https.host 0.0.0.0, http.acmePort 80: the port is in use',
      'is required for *.example.org: a CA checks such a name through the DNS only',
      'is required with acme.enabled: publicUrl has the address 192.0.2.1, and the certificate is for a name',
    ]) {
      for (const [language, { site }] of others) assert.notEqual(valueProblem(message, site), message, language)
    }
    assert.equal(valueProblem('what nobody knows', de.site), 'what nobody knows')
    assert.match(valueProblem('must be a whole number from 15 to 300', de.site), / 15 bis 300 /)
  })

  test('each sentence of the health is about something, as the service words it', () => {
    const said: readonly (readonly [path: string, begins: string, kind: string])[] = [
      ['app/ready/readiness.ts', 'the service is ', 'starting'],
      ['app/ready/readiness.ts', 'the store does not answer', 'store'],
      ['app/ready/readiness.ts', 'the store cannot write: ', 'store'],
      ['app/ready/readiness.ts', 'the store cannot be read', 'store'],
      ['adapters/stores/postgres/engine/disk-space.ts', 'the store cannot write: the disk is full', 'store'],
      ['adapters/stores/sqlite/writer/store-news.ts', 'the database log (WAL) has grown', 'store'],
      ['app/ready/readiness.ts', 'the MQTT broker does not accept connections', 'broker'],
      ['app/ready/readiness.ts', 'the MQTT broker does not answer', 'broker'],
      ['app/ready/readiness.ts', 'the dispatcher is ', 'late'],
      ['app/sending/node-lease.ts', 'this node may not send: ', 'lease'],
      ['app/watch/canary.ts', "the canary's synthetic SOS failed", 'canary'],
      ['app/upkeep/calendar.ts', 'the clock is not trusted: it says', 'clock'],
      ['adapters/platform/system/shared-clock.ts', 'the clock of this machine is ', 'machineClock'],
      ['adapters/outbound/modem/modem-state.ts', 'SMS modem: no signal', 'modem'],
      ['adapters/stores/postgres/upkeep/server-watch.ts', 'no synchronous standby protects', 'durability'],
      ['adapters/stores/postgres/upkeep/server-watch.ts', 'fsync is off on the database server', 'durability'],
      ['adapters/stores/postgres/upkeep/server-watch.ts', 'full_page_writes is off on the database', 'durability'],
      ['app/upkeep/nightly-backup.ts', 'the last backup ', 'backup'],
      ['app/upkeep/nightly-backup.ts', 'no backup has been made since', 'backup'],
      ['service/network-servers.ts', 'the network server ', 'networkServer'],
      ['service/network-servers.ts', 'lorawan.servers.', 'networkServer'],
      ['core/account/on-call-findings.ts', 'on_call_', 'onCall'],
    ]
    for (const [path, begins, kind] of said) {
      assert.ok(read(`src/${path}`).includes(begins), begins)
      assert.equal(healthKind(begins), kind)
    }
    const kinds = new Set(said.map(([, , kind]) => kind))
    assert.deepEqual([...kinds, 'other'].sort(), Object.keys(en.healthMeans).sort())
    assert.equal(healthKind('publicUrl is not set, so the links in SMS point to a bare IP address'), 'other')
    assert.equal(healthKind("the network server o'clock has not been connected"), 'networkServer')
  })

  /** What the console says by the status, and whose own sentence it translates. */
  const WITHOUT_WORDS = {
    byStatus: ['signed_out', 'too_many_attempts', 'too_many_tests', 'resent_too_soon', 'too_many_at_once'],
    notFound: /_not_found$/,
    translated: ['invalid_text'],
  }

  const NO_FIELD_WORDS = [
    'must be a moment of this century',
    'must be off, or from 15m to 30d, such as 90m, 6h or 2d',
    'must be an RFC 3339 date-time with a zone',
    'must be the secret that the look has answered',
    'must be one line',
    'is not valid',
  ]

  test('there is one for each reason why the value of a field is refused', () => {
    const files = [
      ...['person-schema', 'profile-schema', 'contact-schema', 'pairing-schema', 'settings-schema', 'on-call-schema'],
      ...['silence', 'people-lines', 'hardware-lines', 'time-zone'],
    ].map((name) => `account/${name}.ts`)
    const others = ['timer/timer-schema.ts', 'operator/operator-schema.ts']
    const source = [...files, ...others, 'text/own-texts.ts', 'text/placeholders.ts']
      .map((path) => read(`src/core/${path}`))
      .concat(read('src/lib/csv.ts'), read('src/app/operator/import-people.ts'))
      .join('\n')
    const literals = [...source.matchAll(/['`]((?:must|is|has|may|stands|repeats|was) [^'`\n]{3,200})['`]/g)]
    const messages = literals.map(([, message]) => message!.replaceAll(/\$\{[^}]+\}/g, '7'))
    // As `fieldMessage` words them.
    messages.push(
      ...['is required', 'must be text', 'must be a number', 'must not be empty', 'must be an email address'],
      ...['must be at least 3 characters long', 'must be at most 200 characters long', 'must be at least 15'],
      ...['must be at most 60', 'must be more than 0', 'must have at most 20 entries', 'must be one of on, off'],
      ...['has unknown fields: colour', 'must be an address that begins with http:// or https://'],
    )
    assert.ok(messages.length > 40)
    const wordless = messages.filter((message) => fieldProblemText(message, en.refused) === en.refused.wrong)
    // Of commands and programs, or too vague to say more than that the value is wrong.
    assert.deepEqual(
      wordless.filter((message) => !NO_FIELD_WORDS.includes(message)),
      [],
    )
    for (const [language, { refused }] of Object.entries({ de, fr, it, es })) {
      for (const message of messages.filter((one) => !wordless.includes(one))) {
        const said = fieldProblemText(message, refused)
        assert.ok(said !== message && said !== fieldProblemText(message, en.refused), `${language}: ${message}`)
      }
    }
    assert.equal(fieldProblemText('what nobody knows', de.refused), de.refused.wrong)
  })

  test('there is one for each refusal of the operator API', () => {
    const refusals = refusalsOfOperators()
    assert.ok(refusals.length > 60)
    assert.equal(new Set(refusals).size, refusals.length, 'each has one message')
    const { byStatus, notFound, translated } = WITHOUT_WORDS
    const wordless = [...byStatus, ...translated]
    for (const [language, texts] of [['en', en] as const, ...others]) {
      const reasons = {
        ...texts.problem.reasons,
        ...texts.reasons,
        ...passkeyWords[language].reasons,
        ...ownPushWords[language].reasons,
      }
      const left = refusals.filter((name) => !Object.hasOwn(reasons, name))
      assert.deepEqual(
        left.filter((name) => !wordless.includes(name) && !notFound.test(name)),
        [],
        language,
      )
    }
    // What is done on the board and in an alarm is answered by the texts that are there from the beginning.
    const atOnce = refusalsIn(nounFiles(/^(incidents\/.+|shift|session)\.ts$/))
    assert.ok(atOnce.length > 15)
    const later = atOnce.filter((name) => !Object.hasOwn(enOfBoard.problem.reasons, name))
    assert.deepEqual(
      later.filter((name) => !wordless.includes(name) && !notFound.test(name)),
      [],
    )
  })
})
