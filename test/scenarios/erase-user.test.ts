import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDirectory } from '../cli/command-line.ts'
import type { PhoneUser } from '../harness/phone-user.ts'
import { startProcessSite } from '../harness/process-site.ts'
import { everyRow, isOnPostgres } from '../harness/site-store.ts'
import { until } from '../harness/wait.ts'

const EXTERNAL_ID = 'hiker-who-leaves'
const profile = {
  name: 'Miriam Quellenhof',
  phone: '+436601110001',
  email: 'miriam.q@mail.example',
  address: 'Kalser Gasse 17, Lienz',
}
const contact = { name: 'Benedikt Zirbenwald', phone: '+436602220002', email: 'beni.z@mail.example' }
const LATITUDE = 47.0912345678
const RUBBISH = 'rubbish from a broken tracker'
const FEEDBACK = 'the button is too small for my gloves'

const doubleOf = (value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return bytes
}

const now = () => new Date().toISOString()

async function givesFeedback(user: PhoneUser): Promise<void> {
  const { http, appId, externalUserId } = user.account
  const response = await fetch(`${http}/v1/sdk/feedback`, {
    method: 'POST',
    headers: {
      'x-app-id': appId,
      'x-user-id': externalUserId,
      authorization: `Bearer ${user.hash}`,
      'content-type': 'application/json',
      'x-user-token': (await user.rest('POST', '/v1/sdk/token')).body.token,
    },
    body: JSON.stringify({ message: FEEDBACK }),
  })
  assert.equal(response.status, 201)
}

test('nothing that the running service stores contains an erased user, and no new backup does', async (t) => {
  const site = await startProcessSite(t, { settings: { 'grace-seconds': 0.1, voice: 'off' } })
  const { appId, dataDir } = site
  for (const [id, code] of [
    ['TRACKER-OF-MIRIAM', 'code-1'],
    ['TRACKER-OF-OTHER', 'code-2'],
  ] as const) {
    await site.tocsin('device', 'register', appId, '--hardware-id', id, '--pairing-code', code)
  }
  const user = await site.user(EXTERNAL_ID, [contact])
  await user.introduce(profile)
  const other = await site.user('hiker-who-stays', [{ name: 'Carl', phone: '+436603330003' }])
  const pairs = (who: PhoneUser, hardwareId: string, pairingCode: string, firmwareVersion = '1.0') =>
    who.rest('POST', '/v1/sdk/devices', { hardwareId, pairingCode, firmwareVersion })
  const device = await pairs(user, 'TRACKER-OF-MIRIAM', 'code-1', 'fw-9.8.7-miriam')
  assert.equal(device.status, 201)
  assert.equal((await pairs(other, 'TRACKER-OF-OTHER', 'code-2')).status, 201)

  // Everything that a user leaves: over MQTT, over REST, through a relay, and as a relay.
  const client = await user.listen()
  const gone = new Promise<void>((resolve) => client.once('close', () => resolve()))
  await other.listen()
  await user.moves({ timestamp: now(), latitude: LATITUDE, longitude: 12.5 })
  await user.rest('POST', '/v1/sdk/telemetry', { timestamp: now(), latitude: LATITUDE, longitude: 12.6 })
  await user.publishes(`tel/${user.userId}/data`, RUBBISH)
  await givesFeedback(user)
  await user.presses({ timestamp: now(), latitude: LATITUDE, longitude: 12.7, message: 'first' })
  const { incidentId } = await user.receives('processed')
  await until('the SMS is out', async () => (await site.tocsin('outbox', 'list', '--incident', incidentId)).length > 0)
  assert.equal((await user.ends('cancel')).status, 200)
  await other.presses({ timestamp: now(), deviceId: 'TRACKER-OF-MIRIAM', latitude: LATITUDE, longitude: 12.8 })
  const relayed = await user.receives('processed', (event) => event.incidentId !== incidentId)
  await user.presses({ timestamp: now(), deviceId: 'TRACKER-OF-OTHER', latitude: 46.1, longitude: 12.9 })
  const { incidentId: others } = await other.receives('processed')
  assert.deepEqual((await site.tocsin('incident', 'show', others)).relay, { userId: user.userId })

  const refused = await site.tocsin('user', 'erase', appId, EXTERNAL_ID).catch((error) => error)
  assert.equal(refused.code, 1)
  assert.match(refused.stderr, /^error: an incident of this user is open; .*\n$/)
  await site.tocsin('incident', 'resolve', relayed.incidentId)
  await user.receives('resolved')
  // Until then erasing is refused, and nothing may be on its way that is written afterwards.
  await until('the contact has been told', async () => {
    const own = (await site.look((store) => store.incidents({ openOnly: false }))).filter(
      ({ incident }) => incident.userId === user.userId,
    )
    return own.every(({ incident }) => incident.deliveries.every(({ status }) => status !== 'scheduled'))
  })
  const messages = await site.tocsin('outbox', 'list')
  const [token] = messages.flatMap(({ text }: any) => /\/t\/([\w-]+)/.exec(text)?.[1] ?? [])
  assert.equal(typeof token, 'string')
  const texts = messages.filter(({ to }: any) => to === contact.phone).map(({ text }: any) => text as string)
  assert.ok(texts.length >= 2, 'the alarm and the all-clear')
  const [link] = await site.look((store) => store.outbox({ incidentId }))

  const marks: Record<string, string | Buffer> = {
    'the external id': EXTERNAL_ID,
    'the id': user.userId,
    ...profile,
    'the contact’s name': contact.name,
    'the contact’s phone': contact.phone,
    'the contact’s email': contact.email,
    'the contact’s id': link!.contactId,
    'the pairing': device.body.id,
    'the device’s firmware': 'fw-9.8.7-miriam',
    'a position as text': String(LATITUDE),
    ...(!isOnPostgres && { 'a position of the trail': doubleOf(LATITUDE) }),
    'an incident': incidentId,
    'the relayed incident': relayed.incidentId,
    'a tracking token': token,
    'a dead letter': RUBBISH,
    feedback: FEEDBACK,
    'a message’s text': texts[0]!,
    'an all-clear’s text': texts.at(-1)!,
  }
  /** The marks found in what is stored: in files, and in the rows of a database elsewhere. */
  const found = async (): Promise<readonly string[]> => {
    const files = (await readdir(dataDir, { recursive: true })).map((name) => join(dataDir, name))
    const contents: Buffer[] = await Promise.all(files.map((file) => readFile(file)))
    if (site.url !== null) contents.push(await everyRow(site.url))
    return Object.keys(marks).filter((name) => contents.some((bytes) => bytes.includes(marks[name]!)))
  }
  const elsewhere = await temporaryDirectory(t)
  /** The marks found in a new backup. */
  const foundInBackup = async (name: string): Promise<readonly string[]> => {
    // That of PostgreSQL's own tools has the rows.
    if (isOnPostgres) return found()
    const file = join(elsewhere, name)
    await site.tocsin('backup', file)
    const bytes = await readFile(file)
    return Object.keys(marks).filter((mark) => bytes.includes(marks[mark]!))
  }
  assert.deepEqual(await found(), Object.keys(marks), 'the control: all of it is there before')
  assert.deepEqual(await foundInBackup('before'), Object.keys(marks))

  const kept = join(dataDir, 'tocsin-20260101T000000-000Z.db')
  await writeFile(kept, '')
  const erased = await site.tocsin('user', 'erase', appId, EXTERNAL_ID)
  assert.deepEqual(erased, {
    externalUserId: EXTERNAL_ID,
    userId: user.userId,
    clean: true,
    cameBack: false,
    keptDatabases: [kept],
  })
  await gone
  assert.deepEqual(await found(), [])
  assert.deepEqual(await foundInBackup('after'), [])

  const again = await site.tocsin('user', 'erase', appId, EXTERNAL_ID).catch((error) => error)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /^error: the application has no such user/)
  const hardware = await site.tocsin('device', 'list', appId)
  assert.deepEqual(
    hardware.map(({ hardwareId, externalUserId }: any) => [hardwareId, externalUserId]),
    [
      ['TRACKER-OF-MIRIAM', null],
      ['TRACKER-OF-OTHER', 'hiker-who-stays'],
    ],
  )
  const { status, relay } = await site.tocsin('incident', 'show', others)
  assert.deepEqual([status, relay], ['active', null])
  assert.equal((await pairs(other, 'TRACKER-OF-MIRIAM', 'code-1')).status, 201)
  await site.stillAlarms()
})
